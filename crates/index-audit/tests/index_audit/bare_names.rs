//! The collision radar, and our names on the public index.

use serde_json::{Value, json};

use crate::stand::{Ran, Site, ours, pins, theirs};

/// `client order name version` of every bare name that is not ours.
fn foreign(ran: &Ran) -> Vec<String> {
    let document = ran.document();
    let names = document["bare"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["ours"] == false);
    names
        .map(|one| {
            let text = |key: &str| one[key].as_str().unwrap_or("nothing").to_owned();
            format!(
                "{} {}: {} {}",
                text("resolver"),
                text("order"),
                text("name"),
                text("version")
            )
        })
        .collect()
}

fn registered(ran: &Ran) -> Vec<(String, bool)> {
    let document = ran.document();
    let names = document["names"].as_array().unwrap();
    names
        .iter()
        .map(|one| {
            (
                one["name"].as_str().unwrap().to_owned(),
                one["registered"].as_bool().unwrap(),
            )
        })
        .collect()
}

#[test]
fn each_name_is_asked_for_as_a_user_would_in_both_orders() {
    let site = Site::new(&ours(), &theirs());
    let server = site.serve(&[]);
    let ran = server.audit(&[]);
    assert_eq!(ran.code, 0);
    assert_eq!(
        foreign(&ran),
        [
            "pip --extra-index-url OURS: atom 0.12.1",
            "pip --index-url OURS --extra-index-url PUBLIC: atom 0.12.1",
            "uv --index-url OURS --extra-index-url PUBLIC: atom 0.12.1",
            "uv --index-url OURS --extra-index-url PUBLIC: nixl 1.5.2",
            "pip --extra-index-url OURS: torch 2.15.0",
            "pip --index-url OURS --extra-index-url PUBLIC: torch 2.15.0",
            "uv --index-url OURS --extra-index-url PUBLIC: torch 2.15.0",
            "uv --index-url OURS --extra-index-url PUBLIC: triton 3.9.0",
            "uv --index-url OURS --extra-index-url PUBLIC: triton-kernels 1.0.0",
        ]
    );
    let unregistered = registered(&ran)
        .into_iter()
        .filter(|(_, is)| !is)
        .map(|(name, _)| name);
    assert_eq!(
        unregistered.collect::<Vec<_>>(),
        ["nixl-rocm", "rocm-torch"]
    );
}

#[test]
fn a_name_that_fits_nowhere_does_not_hide_the_others() {
    let mut wheels = ours();
    let odd = json!({"name": "odd", "version": "1+rocm10.1.0", "tag": "cp39-cp39-linux_x86_64"});
    wheels.push(odd.clone());
    let mut public = theirs();
    public.push(odd);
    let site = Site::pinning(&wheels, &pins(&ours()), &public);
    let server = site.serve(&[]);
    for client in ["pip", "uv"] {
        let ran = server.audit(&["--with", client]);
        assert!(
            foreign(&ran).contains(&format!(
                "{client} --index-url OURS --extra-index-url PUBLIC: odd nothing"
            )),
            "{ran:?}"
        );
        assert!(foreign(&ran).contains(&format!(
            "{client} --index-url OURS --extra-index-url PUBLIC: atom 0.12.1"
        )));
        assert!(registered(&ran).contains(&("odd".to_owned(), true)));
        assert!(registered(&ran).contains(&("nixl-rocm".to_owned(), false)));
    }
}

#[test]
fn a_registration_since_the_last_report_is_told_though_the_resolve_is_clean() {
    let site = Site::new(&ours(), &theirs());
    let last = site.path("last.json");
    std::fs::write(&last, site.serve(&[]).audit(&["--with", "uv"]).stdout).unwrap();
    site.index(
        "grabbed",
        json!({"wheels": [{"name": "nixl_rocm", "version": "0.0.1"}]}),
    );
    std::fs::rename(
        site.path("grabbed/nixl-rocm"),
        site.path("public/nixl-rocm"),
    )
    .unwrap();
    let server = site.serve(&[]);
    let ran = server.audit(&["--with", "uv", "--previous", last.to_str().unwrap()]);
    assert_eq!((ran.code, ran.findings()), (0, vec![]));
    let expected: Value = json!([{"architecture": "gfx950", "rule": "registered", "name": "nixl-rocm",
        "message": "somebody has registered nixl-rocm on the public index since the last report"}]);
    assert_eq!(ran.document()["warnings"], expected);
    // The next report does not tell it again.
    std::fs::write(&last, &ran.stdout).unwrap();
    let ran = server.audit(&["--with", "uv", "--previous", last.to_str().unwrap()]);
    assert_eq!(ran.document()["warnings"], json!([]));
}
