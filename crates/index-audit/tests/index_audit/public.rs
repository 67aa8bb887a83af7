//! Against the public index that pip and uv are configured for here, with today's real names.

use serde_json::json;

use crate::stand::{Site, audit, ours, pins};

#[test]
fn atom_and_torch_alone_come_from_elsewhere_and_the_metapackage_from_us() {
    let wheels = ours();
    let site = Site::new(&wheels, &[]);
    site.index(
        "own/gfx950",
        json!({"wheels": wheels.clone(), "pin": pins(&wheels)}),
    );
    let server = site.serve(&[]);
    let index = server.url("own");
    let ran = audit(&["--index", &index, "--arch", "gfx950"], b"", &[]);
    assert_eq!(
        (ran.code, ran.stderr.as_str(), ran.findings()),
        (0, "", vec![])
    );
    let document = ran.document();
    let foreign: Vec<&str> = document["bare"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["resolver"] == "pip" && one["ours"] == false)
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    for name in ["atom", "torch"] {
        assert!(foreign.contains(&name), "{foreign:?}");
    }
    let numpy = document["evidence"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["name"] == "numpy");
    assert_eq!(numpy.clone().count(), 2);
    assert!(numpy.into_iter().all(|one| one["ours"] == false));
}
