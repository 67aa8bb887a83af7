//! `schemas/*.json` are generated from the types; this refuses stale ones, and `make schemas` writes them.
#![cfg(feature = "schema")]

use std::path::Path;

use pipe::{AuditReport, Drift, RegistryDiff, RegistryTags, TagPlan, WheelSet};

#[test]
fn the_committed_schemas_are_those_of_the_types() {
    let schemas = [
        ("wheel-set", schemars::schema_for!(WheelSet)),
        ("tag-plan", schemars::schema_for!(TagPlan)),
        ("registry-tags", schemars::schema_for!(RegistryTags)),
        ("registry-diff", schemars::schema_for!(RegistryDiff)),
        ("drift", schemars::schema_for!(Drift)),
        ("index-audit", schemars::schema_for!(AuditReport)),
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    let write = std::env::var_os("ROCM_BAKE_WRITE_SCHEMAS").is_some();
    for (name, schema) in schemas {
        let path = folder.join(format!("{name}.json"));
        let wanted = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if write {
            std::fs::write(&path, wanted).unwrap();
        } else {
            let found = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                found == wanted,
                "schemas/{name}.json is stale; run `make schemas`"
            );
        }
    }
}
