//! Plans against what the real buildx printed for the same file and environment.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use super::{root, run_with};

#[test]
fn plans_equal_what_buildx_prints_for_every_architecture_and_commit() {
    let golden = fs::read_to_string(root().join("tests/buildx/golden.json")).unwrap();
    let golden: BTreeMap<String, Value> = serde_json::from_str(&golden).unwrap();
    let mut compared = 0;
    for architecture in ["gfx950", "gfx1201", "gfx1151", "gfx1250"] {
        for commit in ["", "aad2a60d"] {
            let mut environment = vec![("ARCH", architecture)];
            let mut asked = format!("ARCH={architecture}");
            if !commit.is_empty() {
                environment.push(("VCS_REF", commit));
                asked.push_str(" VCS_REF=aad2a60d");
            }
            let key =
                format!("../../../docker-bake.hcl\tdefault pytorch-run pytorch-test\t{asked}");
            let printed = &golden[&key]["target"];
            // By the environment, by the command line, and by --arch: the same plan.
            let plan = run_with(&root(), &[], &environment);
            let vcs_ref = format!("VCS_REF={commit}");
            let by_hand = run_with(
                &root(),
                &["--arch", architecture, &vcs_ref],
                &[("ARCH", "gfx90a")],
            );
            assert_eq!(plan.stdout, by_hand.stdout);
            for target in plan.plan().targets {
                let theirs = &printed[&target.name];
                let mut tags: Vec<&str> = target
                    .tags
                    .iter()
                    .map(|tag| tag.reference.as_str())
                    .collect();
                let mut printed_tags: Vec<&str> = theirs["tags"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|tag| tag.as_str().unwrap())
                    .collect();
                assert_eq!(tags[0], printed_tags[0]);
                tags.sort_unstable();
                printed_tags.sort_unstable();
                assert_eq!(tags, printed_tags);
                assert_eq!(serde_json::to_value(&target.args).unwrap(), theirs["args"]);
                assert_eq!(
                    serde_json::to_value(&target.dockerfile).unwrap(),
                    theirs["dockerfile"]
                );
                let stage = theirs.get("target").cloned().unwrap_or(Value::Null);
                assert_eq!(serde_json::to_value(&target.stage).unwrap(), stage);
                assert!(target.contexts.is_empty() && theirs.get("contexts").is_none());
                let cache = theirs["cache-to"][0].as_str().unwrap();
                assert!(
                    cache.contains(&format!("ref={},", target.caches[0])),
                    "{cache}"
                );
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 16 * 4 * 2);
}
