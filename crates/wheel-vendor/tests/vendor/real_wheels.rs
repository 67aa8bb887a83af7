//! Small published wheels; the others are in the feature `large`.

use crate::published::{Case, comes_back};

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

#[test]
fn small_published_wheels_come_back_as_they_were() {
    CASES.iter().for_each(comes_back);
}
