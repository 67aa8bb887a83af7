//! Servers in trouble: never "clean" because something could not be asked.

use serde_json::json;

use crate::stand::{Ran, Site, audit, ours, pins, theirs, wheel};

fn could_not(ran: &Ran, told: &str) {
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    assert!(
        ran.stderr
            .lines()
            .all(|line| line.starts_with("index-audit: ")),
        "{}",
        ran.stderr
    );
}

#[test]
fn an_index_of_ours_that_fails_hangs_or_cuts_the_body_is_not_clean() {
    let site = Site::new(&ours(), &theirs());
    for (fault, told) in [
        (
            "500",
            "/data/gfx950/atom/: the server answers 500 Internal Server Error",
        ),
        ("hang", "/data/gfx950/atom/: timeout: global"),
        ("cut", "/data/gfx950/atom/: "),
    ] {
        let server = site.serve(&[&format!("/data/gfx950/atom/={fault}")]);
        let deadline = if fault == "hang" { "5" } else { "60" };
        could_not(&server.audit(&["--deadline", deadline]), told);
        let asked = server.requests();
        let times = asked.iter().filter(|path| path.ends_with("/atom/")).count();
        assert_eq!(
            times,
            if fault == "hang" { 1 } else { 4 },
            "{fault}: {asked:?}"
        );
    }
}

#[test]
fn a_public_index_that_fails_hangs_or_cuts_the_body_is_not_clean() {
    let site = Site::new(&ours(), &theirs());
    for (fault, pip, uv) in [
        (
            "500",
            "pip could not resolve rocm-torch[device-gfx950]: it could not fetch ",
            "uv could not resolve rocm-torch[device-gfx950]: error: Request failed after",
        ),
        ("hang", "pip: --deadline is over", "uv: --deadline is over"),
        (
            "cut",
            "pip could not resolve rocm-torch[device-gfx950]: ERROR: Could not install packages due to an OSError",
            "uv could not resolve rocm-torch[device-gfx950]: error: Request failed after",
        ),
    ] {
        let server = site.serve(&[&format!("/public/numpy/={fault}")]);
        let deadline = if fault == "hang" { "5" } else { "60" };
        let patience = [("PIP_RETRIES", "1"), ("UV_HTTP_RETRIES", "1")];
        for (client, told) in [("pip", pip), ("uv", uv)] {
            let (index, upstream) = (server.url("data"), server.url("public/"));
            let args = [
                "--index",
                &index,
                "--upstream",
                &upstream,
                "--arch",
                "gfx950",
                "--deadline",
                deadline,
                "--with",
                client,
            ];
            could_not(&audit(&args, b"", &patience), told);
        }
    }
}

#[test]
fn a_wheel_that_hangs_is_told_by_its_address_and_what_was_found_before_is_not_lost() {
    let site = Site::new(&ours(), &theirs());
    std::fs::remove_file(site.file("atom-", ".metadata")).unwrap();
    let server = site.serve(&["triton_kernels-1.0.0%2Brocm10.1.0-py3-none-any.whl=hang"]);
    let ran = server.audit(&["--deadline", "3"]);
    could_not(
        &ran,
        "/files/triton_kernels-1.0.0%2Brocm10.1.0-py3-none-any.whl: timeout: global",
    );
    assert!(
        ran.stderr
            .starts_with("index-audit: gfx950: link.metadata: our page links to "),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_fault_that_passes_is_tried_again() {
    let site = Site::new(&ours(), &theirs());
    let server = site.serve(&["/data/gfx950/atom/=once", "atom-0.1.9=once"]);
    let ran = server.audit(&["--download"]);
    assert_eq!((ran.code, ran.findings()), (0, vec![]), "{ran:?}");
}

#[test]
fn redirects_of_a_release_host_are_followed_and_the_link_is_what_counts() {
    let site = Site::new(&[], &theirs());
    let release = site.path("release");
    std::fs::create_dir(&release).unwrap();
    let wheels = ours();
    let server = site.serve(&["/release/=redirect"]);
    let spec = json!({"wheels": wheels, "pin": pins(&wheels), "base": server.url("release")});
    site.index("remote/gfx950", spec);
    for entry in std::fs::read_dir(site.path("remote/gfx950/files")).unwrap() {
        let entry = entry.unwrap();
        std::fs::rename(entry.path(), release.join(entry.file_name())).unwrap();
    }
    let upstream = server.url("public/");
    for index in [
        server.url("remote"),
        site.path("remote").to_str().unwrap().to_owned(),
    ] {
        let args = [
            "--index",
            &index,
            "--upstream",
            &upstream,
            "--arch",
            "gfx950",
            "--download",
        ];
        let ran = audit(&args, b"", &[]);
        assert_eq!((ran.code, ran.findings()), (0, vec![]), "{ran:?}");
        let document = ran.document();
        let atom = document["evidence"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["name"] == "atom")
            .unwrap();
        assert!(
            atom["url"]
                .as_str()
                .unwrap()
                .contains("/release/atom-0.1.9%2B"),
            "{atom}"
        );
    }
    assert!(
        server
            .requests()
            .iter()
            .any(|path| path.starts_with("/store/release/atom"))
    );
}

#[test]
fn a_client_that_is_not_there_is_named() {
    let site = Site::new(&[wheel("a", "1+rocm10.1.0")], &theirs());
    let server = site.serve(&[]);
    let (index, upstream) = (server.url("data"), server.url("public/"));
    let args = [
        "--index",
        &index,
        "--upstream",
        &upstream,
        "--arch",
        "gfx950",
    ];
    let ran = audit(&args, b"", &[("PATH", "/nowhere")]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert_eq!(
        ran.stderr,
        "index-audit: pip is not on PATH; install it, or ask the other client alone by --with\n"
    );
}
