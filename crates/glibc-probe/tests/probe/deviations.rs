//! Where auditwheel is wrong, each in a test that says why. `oracle/deviations.tsv` has the rows.

use crate::elf::Elf;
use crate::support::{MODULE, extension, library, measure, probe};
use crate::wheel::Wheel;

const LINUX: &str = "linux_x86_64";
const OLDEST: &str = "manylinux_2_5_x86_64";

fn tags(tag: &str, symbols_tag: &str) -> (String, String) {
    (tag.to_owned(), symbols_tag.to_owned())
}

fn has(findings: &[(String, String)], rule: &str, member: &str) -> bool {
    findings.contains(&(rule.to_owned(), member.to_owned()))
}

#[test]
fn a_file_without_section_headers_is_read_by_its_segments() {
    let stripped = Elf {
        sections: false,
        ..extension("GLIBC_2.99")
    };
    let run = measure(&Wheel::new(LINUX).with(MODULE, stripped.bytes()), &[]);
    assert_eq!(run.tags(), tags(LINUX, LINUX));
    assert!(has(&run.findings(), "no-section-headers", MODULE));
    assert!(has(&run.findings(), "symbol-version", MODULE));
}

#[test]
fn a_library_that_record_does_not_list_counts() {
    let wheel = Wheel::new(LINUX)
        .with(MODULE, extension("GLIBC_2.2.5").bytes())
        .with_unlisted("p/libhidden.so", library("GLIBC_2.38").bytes());
    let run = measure(&wheel, &[]);
    assert_eq!(run.tags().0, "manylinux_2_38_x86_64");
    assert!(has(
        &run.findings(),
        "record.unlisted-member",
        "p/libhidden.so"
    ));
}

#[test]
fn the_ending_of_a_members_name_hides_nothing() {
    let wheel = Wheel::new(LINUX).with("p/t.py", library("GLIBC_2.38").bytes());
    assert_eq!(measure(&wheel, &[]).tags().0, "manylinux_2_38_x86_64");
}

#[test]
fn the_bytes_pick_the_machine_and_not_the_file_name() {
    let arm = Elf {
        machine: 183,
        ..extension("GLIBC_2.17")
    };
    let run = measure(&Wheel::new(LINUX).with(MODULE, arm.bytes()), &[]);
    assert_eq!(run.tags().0, "manylinux_2_17_aarch64");
    assert!(has(&run.findings(), "machine-name", ""));
}

#[test]
fn the_bytes_pick_the_c_library_and_not_the_file_name() {
    let wheel = Wheel::new("musllinux_1_2_x86_64").with(MODULE, extension("GLIBC_2.28").bytes());
    let run = measure(&wheel, &[]);
    assert_eq!(run.tags().0, "manylinux_2_28_x86_64");
    assert!(has(&run.findings(), "libc-name", ""));
}

#[test]
fn the_file_name_is_asked_where_the_bytes_are_silent() {
    // A static executable, as in ruff's wheels.
    let executable = Elf {
        sections: false,
        ..Elf::default()
    };
    for (platform, tag) in [
        ("musllinux_1_2_x86_64", "musllinux_1_2_x86_64"),
        ("manylinux_2_17_x86_64", OLDEST),
        (LINUX, OLDEST),
    ] {
        let run = measure(
            &Wheel::new(platform).with("p/tool", executable.bytes()),
            &[],
        );
        assert_eq!(run.tags().0, tag);
        assert!(has(&run.findings(), "libc-from-name", ""), "{platform}");
    }
}

#[test]
fn android_and_its_level_are_told_by_the_bytes() {
    let module = Elf {
        android: Some(27),
        needed: vec!["libc.so".to_owned(), "libpython3.14.so".to_owned()],
        defined: vec!["PyInit_t".to_owned()],
        ..Elf::default()
    };
    let run = measure(
        &Wheel::new("android_24_x86_64").with(MODULE, module.bytes()),
        &[],
    );
    assert_eq!(run.tags().0, "android_27_x86_64");
    assert_eq!(run.wheel()["platform"]["libc"], "android");
}

#[test]
fn compiled_code_under_purelib_is_a_finding() {
    let member = "demo-1.0.data/purelib/t.so";
    let wheel = Wheel::new(LINUX).with(member, library("GLIBC_2.17").bytes());
    let run = measure(&wheel, &[]);
    assert_eq!(run.tags().0, "manylinux_2_17_x86_64");
    assert!(has(&run.findings(), "purelib", member));
}

#[test]
fn this_machines_libraries_are_not_looked_at() {
    // libcrypt.so.1 is on most systems that the tests run on, and asks for GLIBC_2.36 and more.
    let needs = Elf {
        needed: vec!["libcrypt.so.1".to_owned(), "libc.so.6".to_owned()],
        ..extension("GLIBC_2.2.5")
    };
    let run = measure(&Wheel::new(LINUX).with(MODULE, needs.bytes()), &[]);
    assert_eq!(run.tags(), tags(LINUX, OLDEST));
}

#[test]
fn an_unknown_instruction_set_is_a_finding_and_no_policy_has_it() {
    let odd = Elf {
        isa: Some(16),
        ..extension("GLIBC_2.17")
    };
    let run = measure(&Wheel::new(LINUX).with(MODULE, odd.bytes()), &[]);
    assert_eq!(run.tags(), tags(LINUX, "manylinux_2_17_x86_64"));
    let findings = run.wheel()["platform"]["findings"].clone();
    let finding = findings
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["rule"] == "instruction-set")
        .unwrap();
    assert_eq!(finding["version"], "unknown instruction set 0x10");
}

#[test]
fn a_vendored_library_for_newer_processors_is_reported() {
    let module = Elf {
        needed: vec!["libv.so.1".to_owned(), "libc.so.6".to_owned()],
        rpath: Some("$ORIGIN/../demo.libs".to_owned()),
        ..extension("GLIBC_2.17")
    };
    let vendored = Elf {
        soname: Some("libv.so.1".to_owned()),
        isa: Some(7),
        ..library("GLIBC_2.17")
    };
    let wheel = Wheel::new(LINUX)
        .with(MODULE, module.bytes())
        .with("demo.libs/libv.so.1", vendored.bytes());
    let run = measure(&wheel, &[]);
    assert_eq!(run.tags().0, "manylinux_2_17_x86_64");
    assert!(has(
        &run.findings(),
        "vendored-instruction-set",
        "demo.libs/libv.so.1"
    ));
}

#[test]
fn a_stub_is_a_finding_and_a_cut_file_an_error_that_names_the_member() {
    let whole = library("GLIBC_2.17").bytes();
    let with = |bytes: &[u8]| {
        Wheel::new(LINUX)
            .with(MODULE, extension("GLIBC_2.17").bytes())
            .with("p/bad.so", bytes)
    };
    let run = measure(&with(&whole[..20]), &[]);
    assert_eq!(run.tags().0, "manylinux_2_17_x86_64");
    assert!(has(&run.findings(), "elf-stub", "p/bad.so"));
    let folder = tempfile::tempdir().unwrap();
    let name = with(&whole[..whole.len() / 2]).write(folder.path());
    let run = probe(folder.path(), &[&name]);
    assert_eq!(run.code, 2);
    assert_eq!(run.stdout, "");
    assert_eq!(
        run.stderr,
        format!(
            "glibc-probe: {name}: `p/bad.so`: its section headers reach past the end of the file: it is cut short or damaged\n"
        )
    );
}

#[test]
fn a_machine_without_policies_keeps_its_own_tag() {
    let soft_float = Elf {
        machine: 40,
        bits: 32,
        flags: 0x0500_0200,
        ..extension("GLIBC_2.4")
    };
    let run = measure(
        &Wheel::new("linux_armv7l").with(MODULE, soft_float.bytes()),
        &[],
    );
    assert_eq!(run.tags().0, "linux_armv7l");
    assert!(has(&run.findings(), "no-policy", ""));
}

#[test]
fn gpu_code_is_no_host_code() {
    let object = Elf {
        machine: 224,
        os_abi: 64,
        ..Elf::default()
    };
    for platform in ["any", "linux_x86_64"] {
        let wheel = Wheel {
            python: "py3-none".to_owned(),
            ..Wheel::new(platform).with("p/k.co", object.bytes())
        };
        let run = measure(&wheel, &[]);
        assert_eq!(run.tags(), tags(platform, platform));
        assert!(has(&run.findings(), "no-host-elf", ""));
        assert!(run.wheel()["platform"]["machine"].is_null());
    }
}

#[test]
fn a_need_newer_than_every_policy_stays_in_required() {
    let run = measure(
        &Wheel::new(LINUX).with(MODULE, extension("GLIBC_2.43").bytes()),
        &[],
    );
    assert_eq!(run.tags(), tags(LINUX, LINUX));
    assert_eq!(run.wheel()["platform"]["required"]["GLIBC"], "2.43");
}

#[test]
fn code_for_a_second_machine_or_c_library_is_told() {
    let arm = Elf {
        machine: 183,
        ..library("GLIBC_2.39")
    };
    let musl = Elf {
        needed: vec!["libc.musl-x86_64.so.1".to_owned()],
        ..Elf::default()
    };
    let wheel = Wheel::new(LINUX)
        .with(MODULE, extension("GLIBC_2.17").bytes())
        .with("p/libarm.so", arm.bytes())
        .with("p/libmusl.so", musl.bytes());
    let run = measure(&wheel, &[]);
    assert_eq!(run.tags().0, "manylinux_2_17_x86_64");
    assert!(has(&run.findings(), "foreign-machine", "p/libarm.so"));
    assert!(has(&run.findings(), "mixed-libc", "p/libmusl.so"));
}
