//! Published wheels whose grafted libraries were taken out again, put together anew.

use crate::desk::{Desk, cached, judged, oracle, root};

/// A published wheel, what is installed beside it, and Python code that calls into what was grafted into it and prints.
pub(crate) type Case = (&'static str, &'static [&'static str], &'static str);

/// The small ones; the others are in the feature `large`.
const CASES: &[Case] = &[
    (
        "pyzmq-27.3.0-cp311-cp311-manylinux_2_26_x86_64.manylinux_2_28_x86_64.whl",
        &[],
        "import zmq; print(zmq.zmq_version(), zmq.curve_keypair()[0] != b'')",
    ),
    (
        "gmpy2-2.3.2-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.manylinux_2_28_x86_64.whl",
        &[],
        "import gmpy2; print(gmpy2.mpz(3) ** 200, gmpy2.sqrt(2), gmpy2.sqrt(gmpy2.mpc(-2)))",
    ),
    (
        "hidapi-0.15.0-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
        &[],
        "import hid; print(type(hid.enumerate()))",
    ),
    (
        "psycopg2_binary-2.9.13-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
        &[],
        "from psycopg2 import extensions as e; print(e.libpq_version(), e.encrypt_password('a', 'b', None, 'md5'))",
    ),
];

/// Takes a wheel apart, vendors it, and asserts that the judges and the published wheel agree with the result.
#[track_caller]
pub(crate) fn comes_back(case: &Case) {
    let (published, beside, code) = case;
    let desk = Desk::new();
    let source = cached(published);
    let made = judged(
        desk.command(oracle("python"))
            .arg(root().join("crates/wheel-vendor/tests/ungraft.py"))
            .arg(&source)
            .args(["in", "lib"]),
    );
    let beside: Vec<_> = beside.iter().map(|name| cached(name)).collect();
    let mut wheels = beside.clone();
    wheels.push(source);
    let expected = desk.python_with("published", &wheels, code);
    assert_ne!(expected, "");
    desk.agree_with(
        made.trim_end(),
        &["--max-graft", "500000000"],
        &beside,
        (code, expected.trim_end()),
    );
}

#[test]
fn small_published_wheels_come_back_as_they_were() {
    CASES.iter().for_each(comes_back);
}
