//! The policy table against the files of the installed auditwheel.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its input is to fail"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use native::policy;
use serde::Deserialize;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn python(arguments: &[&str]) -> String {
    let python = root().join("build/oracles/bin/python");
    assert!(python.exists(), "run `make oracles` first");
    let output = Command::new(python)
        .args(arguments)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// A policy as auditwheel writes it.
#[derive(Deserialize)]
struct Theirs {
    name: String,
    aliases: Vec<String>,
    symbol_versions: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
    lib_whitelist: BTreeSet<String>,
    blacklist: BTreeMap<String, BTreeSet<String>>,
}

#[test]
fn every_policy_grants_what_auditwheel_says() {
    let script = "import json, auditwheel.policy as p\n\
        from pathlib import Path\n\
        print(json.dumps([q for f in ('manylinux', 'musllinux', 'android')\n\
        for q in json.loads((Path(p.__file__).parent / f'{f}-policy.json').read_text()) if q['name'] != 'linux']))";
    let theirs: Vec<Theirs> = serde_json::from_str(&python(&["-c", script])).unwrap();
    let ours: BTreeMap<&str, &policy::Policy> = policy::all()
        .map(|policy| (policy.name.as_str(), policy))
        .collect();
    assert_eq!(ours.len(), theirs.len());
    for theirs in theirs {
        let ours = ours[theirs.name.as_str()];
        let name = &theirs.name;
        assert_eq!(ours.aliases, theirs.aliases, "{name}");
        assert_eq!(ours.libraries, theirs.lib_whitelist, "{name}");
        assert_eq!(ours.forbidden, theirs.blacklist, "{name}");
        let machines: BTreeSet<String> = theirs.symbol_versions.keys().cloned().collect();
        assert_eq!(ours.machines, machines, "{name}");
        for (machine, versions) in theirs.symbol_versions {
            let known = ours.versions.get(&machine).cloned().unwrap_or_default();
            assert_eq!(known, versions, "{name} {machine}");
        }
    }
}

#[test]
fn the_table_is_what_its_script_writes() {
    let written = python(&["crates/native/data/policies.py"]);
    let table = std::fs::read_to_string(root().join("crates/native/data/policies.toml")).unwrap();
    assert!(
        written == table,
        "run `build/oracles/bin/python crates/native/data/policies.py > crates/native/data/policies.toml`"
    );
}
