//! `--explain`: what somebody reads who wants to know why.

use crate::elf::Elf;
use crate::support::{MODULE, extension, measure};
use crate::wheel::Wheel;

#[test]
fn the_page_says_verdict_reason_symbols_and_what_would_have_to_go() {
    let module = Elf {
        needed: vec!["libamdhip64.so.7".to_owned(), "libc.so.6".to_owned()],
        versions: vec![
            ("libc.so.6".to_owned(), "GLIBC_2.38".to_owned()),
            ("libc.so.6".to_owned(), "GLIBC_2.34".to_owned()),
            ("libstdc++.so.6".to_owned(), "GLIBCXX_3.4.19".to_owned()),
        ],
        undefined: vec![
            ("__isoc23_strtol".to_owned(), Some(0)),
            ("__isoc23_sscanf".to_owned(), Some(0)),
            ("pthread_create".to_owned(), Some(1)),
        ],
        ..extension("GLIBC_2.38")
    };
    let wheel = Wheel::new("manylinux_2_32_x86_64").with(MODULE, module.bytes());
    let run = measure(&wheel, &["--explain"]);
    assert_eq!(run.code, 0);
    let expected = format!(
        "demo-1.0-cp314-cp314-manylinux_2_32_x86_64.whl
  verdict       manylinux_2_38_x86_64
  claims        manylinux_2_32_x86_64: not kept
  needs         glibc 2.38 or newer, on x86_64; GLIBCXX 3.4.19
  because       GLIBC_2.38 of libc.so.6 in {MODULE}: __isoc23_sscanf, __isoc23_strtol
  better        manylinux_2_37 to manylinux_2_34: without 2 symbols in {MODULE}
                manylinux_2_31 to manylinux_2_17: without 3 symbols in {MODULE}
                manylinux_2_12 to manylinux_2_5: without 4 symbols in {MODULE}
  excluded      libamdhip64.so.7 by libamdhip64.so* (rocm: ships with ROCm)
  GPU code      caller
  RECORD        verified
"
    );
    assert_eq!(run.stdout, expected);
}

#[test]
fn what_the_wheel_leaves_to_the_system_is_listed() {
    let module = Elf {
        needed: vec!["libfoo.so.1".to_owned(), "libc.so.6".to_owned()],
        ..extension("GLIBC_2.17")
    };
    let wheel = Wheel::new("linux_x86_64").with(MODULE, module.bytes());
    let run = measure(&wheel, &["--explain"]);
    let expected = format!(
        "demo-1.0-cp314-cp314-linux_x86_64.whl
  verdict       linux_x86_64
                manylinux_2_17_x86_64 by its symbol versions alone
  claims        linux_x86_64: kept
  needs         glibc 2.17 or newer, on x86_64
  because       1 library that no policy grants and the wheel does not bring, below
  better        manylinux_2_41 to manylinux_2_17: without 1 library (libfoo.so.1)
                manylinux_2_12 to manylinux_2_5: without 1 symbol in {MODULE}, 1 library (libfoo.so.1)
  external      libfoo.so.1 for {MODULE}
  GPU code      none
  RECORD        verified
"
    );
    assert_eq!(run.stdout, expected);
}

#[test]
fn a_symbol_is_told_of_the_library_that_has_it_when_two_have_the_version() {
    let module = Elf {
        needed: vec!["libm.so.6".to_owned(), "libc.so.6".to_owned()],
        versions: vec![
            ("libm.so.6".to_owned(), "GLIBC_2.27".to_owned()),
            ("libc.so.6".to_owned(), "GLIBC_2.27".to_owned()),
        ],
        undefined: vec![
            ("expf".to_owned(), Some(0)),
            ("copy_file_range".to_owned(), Some(1)),
        ],
        ..extension("GLIBC_2.27")
    };
    let wheel = Wheel::new("manylinux_2_27_x86_64").with(MODULE, module.bytes());
    let page = measure(&wheel, &["--explain"]).stdout;
    for line in [
        format!("GLIBC_2.27 of libm.so.6 in {MODULE}: expf\n"),
        format!("GLIBC_2.27 of libc.so.6 in {MODULE}: copy_file_range\n"),
    ] {
        assert!(page.contains(&line), "{line}{page}");
    }
}

#[test]
fn the_reasons_of_many_members_are_cut_short() {
    let mut wheel = Wheel::new("manylinux_2_38_x86_64");
    for index in 0..8 {
        wheel = wheel.with(&format!("p/{index}.so"), extension("GLIBC_2.38").bytes());
    }
    let run = measure(&wheel, &["--explain"]);
    let because = run
        .stdout
        .lines()
        .skip_while(|line| !line.starts_with("  because "))
        .take_while(|line| !line.starts_with("  better "));
    let because: Vec<&str> = because.collect();
    assert_eq!(because.len(), 6, "{}", run.stdout);
    assert_eq!(because[5].trim(), "and 3 more of the kind");
}

#[test]
fn remarks_of_one_rule_are_cut_short() {
    let mut wheel = Wheel::new("linux_x86_64").with(MODULE, extension("GLIBC_2.17").bytes());
    for index in 0..8 {
        wheel = wheel.with_unlisted(&format!("p/{index}.txt"), "");
    }
    let run = measure(&wheel, &["--explain"]);
    assert!(
        run.stdout.ends_with(
            "  also          record.unlisted-member: `p/0.txt` is in the wheel and not in RECORD
                record.unlisted-member: `p/1.txt` is in the wheel and not in RECORD
                record.unlisted-member: `p/2.txt` is in the wheel and not in RECORD
                record.unlisted-member: `p/3.txt` is in the wheel and not in RECORD
                record.unlisted-member: `p/4.txt` is in the wheel and not in RECORD
                record.unlisted-member: 3 more of them
"
        ),
        "{}",
        run.stdout
    );
}
