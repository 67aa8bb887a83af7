//! What takes gigabytes; `make test-large` runs it.

use crate::{oracle, support};

#[test]
fn every_real_wheel_gets_auditwheels_verdict() {
    let compared = oracle::compare(&support::real_wheels(&["demo", "test", "large"]));
    assert_eq!(compared, 97);
}
