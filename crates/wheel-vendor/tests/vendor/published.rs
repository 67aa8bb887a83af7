//! Published wheels whose grafted libraries are taken out and put in again.

use crate::desk::{Desk, cached, judged, oracle, root};

/// A published wheel, what is installed beside it, and Python code that calls into what was grafted into it and prints.
pub(crate) type Case = (&'static str, &'static [&'static str], &'static str);

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
