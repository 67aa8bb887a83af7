//! Whole audits: the links, and a resolve by pip and by uv.

use serde_json::json;

use crate::stand::{Ran, Site, audit, ours, pins, requiring, tagged, theirs, wheel};

/// What each client says, asked alone.
const EACH: &[(&str, &[&str])] = &[("pip", &["--with", "pip"]), ("uv", &["--with", "uv"])];

#[test]
fn a_clean_index_passes_every_check_by_both_clients() {
    let site = Site::new(&ours(), &theirs());
    let server = site.serve(&[]);
    let ran = server.audit(&["--download"]);
    assert_eq!(
        (ran.code, ran.stderr.as_str(), ran.findings()),
        (0, "", vec![])
    );
    for client in ["pip", "uv"] {
        for check in ["resolve", "origin", "cuda", "pins", "target", "bare"] {
            assert_eq!(
                ran.check(check, Some(client))["answer"],
                "passed",
                "{check} {client}"
            );
        }
    }
    assert_eq!(
        ran.check("links", None)["detail"],
        "7 wheels, read whole and hashed; the METADATA beside each"
    );
    let evidence = ran.document()["evidence"].as_array().unwrap().len();
    assert_eq!(evidence, 2 * 8);
}

#[test]
fn an_index_on_disk_is_audited_as_it_is() {
    let site = Site::new(&ours(), &theirs());
    let server = site.serve(&[]);
    let (index, upstream) = (site.path("data"), server.url("public/"));
    let args = [
        "--index",
        index.to_str().unwrap(),
        "--arch",
        "gfx950",
        "--upstream",
        &upstream,
        "--download",
    ];
    let ran = audit(&args, b"", &[]);
    assert_eq!(
        (ran.code, ran.stderr.as_str(), ran.findings()),
        (0, "", vec![])
    );
}

#[test]
fn an_unmarked_pin_is_met_by_a_more_specific_wheel_of_others() {
    let mut wheels = ours();
    wheels.retain(|one| one["name"] != "nixl" && one["name"] != "nixl_rocm");
    wheels.push(wheel("nixl", "1.5.2"));
    let mut public = theirs();
    public[0]["tag"] = json!("cp314-none-any");
    let site = Site::new(&wheels, &public);
    let server = site.serve(&[]);
    let ran = server.audit(&["--with", "pip"]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.findings(),
        [
            "pip cuda nixl-cu12",
            "pip cuda nixl-cu13",
            "pip foreign nixl"
        ]
    );
    // uv asks ours first and looks no further.
    assert_eq!(server.audit(&["--with", "uv"]).code, 0);
}

#[test]
fn a_file_replaced_under_its_name_is_found_by_reading_it() {
    let site = Site::new(&ours(), &theirs());
    let atom = site.file("atom-", ".whl");
    let mut bytes = std::fs::read(&atom).unwrap();
    let last = bytes.len() - 1;
    bytes[last - 60] ^= 1;
    std::fs::write(&atom, &bytes).unwrap();
    let server = site.serve(&[]);
    assert_eq!(server.audit(&[]).code, 0, "the size is the same");
    // The links are read by the tool itself, whatever client it asks.
    let ran = server.audit(&["--with", "uv", "--download"]);
    assert_eq!(
        (ran.code, ran.findings()),
        (1, vec!["- link.sha256 atom".to_owned()])
    );
    let message = server.anonymous(&ran.message("link.sha256", "atom"));
    assert!(
        message.starts_with("HERE/data/gfx950/files/atom-0.1.9%2Brocm10.1.0-cp314-cp314-manylinux_2_38_x86_64.whl has sha256 "),
        "{message}"
    );
}

#[test]
fn a_file_of_another_size_is_found_without_reading_it() {
    let site = Site::new(&ours(), &theirs());
    let atom = site.file("atom-", ".whl");
    let mut bytes = std::fs::read(&atom).unwrap();
    bytes.push(0);
    std::fs::write(&atom, &bytes).unwrap();
    let server = site.serve(&[]);
    let ran = server.audit(&["--with", "uv"]);
    assert_eq!(
        (ran.code, ran.findings()),
        (1, vec!["- link.size atom".to_owned()])
    );
    std::fs::write(&atom, "<html>moved</html>").unwrap();
    let ran = server.audit(&["--with", "uv"]);
    assert_eq!(ran.findings(), ["- link.no-wheel atom", "- link.size atom"]);
}

#[test]
fn a_missing_wheel_or_sidecar_is_told_and_so_is_where_each_client_stops() {
    let site = Site::new(&ours(), &theirs());
    std::fs::remove_file(site.file("atom-", ".metadata")).unwrap();
    std::fs::remove_file(site.file("triton_kernels-", ".whl")).unwrap();
    let server = site.serve(&[]);
    for (client, with) in EACH {
        let ran = server.audit(with);
        let expected = [
            "- link.broken triton-kernels".to_owned(),
            "- link.metadata atom".to_owned(),
            format!("{client} stopped rocm-torch"),
        ];
        assert_eq!(
            (ran.code, ran.findings()),
            (1, expected.to_vec()),
            "{client}"
        );
        assert_eq!(
            server.anonymous(&ran.message("link.metadata", "atom")),
            "our page links to HERE/data/gfx950/files/atom-0.1.9%2Brocm10.1.0-cp314-cp314-manylinux_2_38_x86_64.whl.metadata: \
             the server answers 404 Not Found"
        );
    }
}

#[test]
fn a_sidecar_with_other_bytes_is_told() {
    let site = Site::new(&ours(), &theirs());
    std::fs::write(site.file("atom-", ".metadata"), "Name: atom\nVersion: 9\n").unwrap();
    let server = site.serve(&[]);
    for (client, with) in EACH {
        let ran = server.audit(with);
        assert_eq!(ran.code, 1);
        assert_eq!(
            ran.findings(),
            [
                "- link.metadata atom",
                &format!("{client} stopped rocm-torch")
            ]
        );
    }
}

#[test]
fn a_page_that_is_listed_and_not_there_and_a_link_to_no_wheel_are_told() {
    let site = Site::new(&ours(), &theirs());
    let page = site.path("data/gfx950/atom/index.html");
    let text = std::fs::read_to_string(&page).unwrap();
    std::fs::write(
        &page,
        text.replace("<body>", "<body><a href='../../readme.html'>home</a>"),
    )
    .unwrap();
    let server = site.serve(&["/data/gfx950/nixl/=403"]);
    let ran = server.audit(&["--with", "uv"]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        server.anonymous(&ran.message("link.page", "nixl")),
        "the index lists nixl, and clients ask for HERE/data/gfx950/nixl/: the server answers 403 Forbidden"
    );
    let document = ran.document();
    assert_eq!(
        server.anonymous(document["warnings"][0]["message"].as_str().unwrap()),
        "HERE/data/gfx950/atom/ links to HERE/data/readme.html, which clients pass over: no wheel of atom"
    );
}

#[test]
fn a_folder_that_is_not_the_canonical_name_is_not_found_by_clients() {
    let site = Site::new(&ours(), &theirs());
    std::fs::rename(
        site.path("data/gfx950/nixl-rocm"),
        site.path("data/gfx950/nixl_rocm"),
    )
    .unwrap();
    let list = site.path("data/gfx950/index.html");
    let text = std::fs::read_to_string(&list).unwrap();
    std::fs::write(&list, text.replace("nixl-rocm/", "nixl_rocm/")).unwrap();
    let server = site.serve(&[]);
    let ran = server.audit(&["--with", "uv"]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        server.anonymous(&ran.message("link.page", "nixl-rocm")),
        "the index lists nixl-rocm, and clients ask for HERE/data/gfx950/nixl-rocm/: the server answers 404 Not Found"
    );
}

#[test]
fn a_broken_link_that_stops_the_radar_too_is_still_a_no() {
    let site = Site::new(&ours(), &theirs());
    std::fs::remove_file(site.file("nixl-", ".metadata")).unwrap();
    let server = site.serve(&[]);
    let ran = server.audit(&["--with", "pip"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(
        ran.findings(),
        ["- link.metadata nixl", "pip stopped rocm-torch"]
    );
    assert_eq!(ran.check("bare", Some("pip"))["answer"], "not-judged");
}

#[test]
fn a_metapackage_that_misses_a_pin_is_told() {
    let wheels = ours();
    let mut pinned = pins(&wheels);
    pinned
        .as_array_mut()
        .unwrap()
        .retain(|pin| pin[0] != "atom");
    let site = Site::pinning(&wheels, &pinned, &theirs());
    let server = site.serve(&[]);
    for (client, with) in EACH {
        let ran = server.audit(with);
        assert_eq!(
            (ran.code, ran.findings()),
            (1, vec![format!("{client} pin.unpinned atom")])
        );
    }
}

#[test]
fn a_set_that_cannot_be_resolved_is_a_no_with_the_clients_own_reason() {
    let wheels = ours();
    let mut pinned = pins(&wheels);
    pinned
        .as_array_mut()
        .unwrap()
        .push(json!(["vllm", "0.33.0+rocm101"]));
    let site = Site::pinning(&wheels, &pinned, &theirs());
    let server = site.serve(&[]);
    for (client, with) in EACH {
        let ran = server.audit(with);
        assert_eq!(
            (ran.code, ran.findings()),
            (1, vec![format!("{client} unsatisfiable rocm-torch")])
        );
        let message = ran.message("unsatisfiable", "rocm-torch");
        assert!(
            message.starts_with(&format!(
                "{client} cannot resolve rocm-torch[device-gfx950]"
            )) && message.contains("vllm==0.33.0+rocm101"),
            "{message}"
        );
    }
}

#[test]
fn cuda_in_the_requirements_of_a_wheel_of_ours_is_told_without_its_being_resolved() {
    let mut wheels = ours();
    let pinned = pins(&wheels);
    wheels.push(requiring(
        "lmcache",
        "1+rocm10.1.0",
        &["nixl-cu13", "cupy-cuda13x; extra == 'cuda'"],
    ));
    let site = Site::pinning(&wheels, &pinned, &theirs());
    let server = site.serve(&[]);
    let ran = server.audit(&["--with", "uv"]);
    assert_eq!(
        (ran.code, ran.findings()),
        (
            1,
            vec![
                "- cuda lmcache".to_owned(),
                "uv pin.unpinned lmcache".to_owned()
            ]
        )
    );
    assert_eq!(
        ran.message("cuda", "lmcache"),
        "lmcache-1+rocm10.1.0-py3-none-any.whl requires nixl-cu13, which brings CUDA (`*-cu#`: built for the CUDA \
         release that the name ends in)"
    );
}

#[test]
fn a_wheel_that_excludes_the_python_is_told_though_uv_takes_it() {
    let mut wheels = ours();
    wheels.push(json!({"name": "capped", "version": "1+rocm10.1.0", "python": ">=3.10,<3.14"}));
    let site = Site::new(&wheels, &theirs());
    let server = site.serve(&[]);
    let ran = server.audit(&["--with", "uv"]);
    assert_eq!(
        (ran.code, ran.findings()),
        (1, vec!["- requires-python capped".to_owned()])
    );
    let ran = server.audit(&["--with", "pip"]);
    assert_eq!(
        ran.findings(),
        ["- requires-python capped", "pip unsatisfiable rocm-torch"]
    );
}

#[test]
fn where_pip_cannot_evaluate_a_marker_uv_is_the_judge() {
    let mut wheels = ours();
    wheels.push(requiring(
        "lmcache",
        "1+rocm10.1.0",
        &["m314; python_version >= '3.14'"],
    ));
    let mut public = theirs();
    public.push(wheel("m314", "1"));
    let site = Site::new(&wheels, &public);
    let server = site.serve(&[]);
    let ran = server.audit(&[]);
    assert_eq!((ran.code, ran.findings()), (0, vec![]));
    assert_eq!(ran.check("target", Some("pip"))["answer"], "not-judged");
    assert_eq!(ran.document()["warnings"][0]["rule"], "target");
    let ran = server.audit(&["--with", "pip"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(
        ran.stderr
            .starts_with("index-audit: pip: lmcache 1+rocm10.1.0 requires `m314` on Python 3.14"),
        "{ran:?}"
    );
}

#[test]
fn what_the_user_has_configured_does_not_change_the_answer() {
    let site = Site::new(&ours(), &theirs());
    let mut hostile = ours();
    hostile.extend([wheel("numpy", "99"), wheel("atom", "99")]);
    hostile.push(tagged(
        "torch",
        "2.15.0a0+git31a77fc.rocm10.1.0",
        "cp314-cp314-manylinux_2_39_x86_64",
    ));
    site.index("hostile", json!({"wheels": hostile}));
    std::fs::write(site.path("constraints.txt"), "numpy<1\n").unwrap();
    std::fs::create_dir_all(site.path("home/.config/uv")).unwrap();
    std::fs::create_dir_all(site.path("home/.config/pip")).unwrap();
    let server = site.serve(&[]);
    let (evil, constraints, home) = (
        server.url("hostile/"),
        site.path("constraints.txt"),
        site.path("home"),
    );
    let (constraints, home) = (constraints.to_str().unwrap(), home.to_str().unwrap());
    std::fs::write(
        site.path("home/.config/uv/uv.toml"),
        format!("prerelease = 'allow'\n[[index]]\nurl = '{evil}'\n"),
    )
    .unwrap();
    std::fs::write(
        site.path("home/.config/pip/pip.conf"),
        format!("[global]\nextra-index-url = {evil}\npre = true\n"),
    )
    .unwrap();
    let (index, upstream) = (server.url("data"), server.url("public/"));
    let args = [
        "--index",
        &index,
        "--upstream",
        &upstream,
        "--arch",
        "gfx950",
    ];
    let clean = audit(&args, b"", &[]);
    let configured = audit(
        &args,
        b"",
        &[
            ("HOME", home),
            ("PIP_EXTRA_INDEX_URL", &evil),
            ("PIP_FIND_LINKS", &evil),
            ("PIP_CONSTRAINT", constraints),
            ("PIP_NO_DEPS", "1"),
            ("PIP_PRE", "1"),
            ("UV_INDEX", &evil),
            ("UV_EXTRA_INDEX_URL", &evil),
            ("UV_CONSTRAINT", constraints),
            ("UV_INDEX_STRATEGY", "unsafe-best-match"),
            ("UV_RESOLUTION", "lowest"),
        ],
    );
    assert_eq!(clean.code, 0);
    assert_eq!(configured.stdout, clean.stdout);
    assert!(
        !server
            .requests()
            .iter()
            .any(|path| path.starts_with("/hostile"))
    );
}

#[test]
fn the_public_index_is_the_one_that_the_clients_are_configured_for() {
    let site = Site::new(&ours(), &theirs());
    let server = site.serve(&[]);
    let (index, upstream) = (server.url("data"), server.url("public/"));
    let args = ["--index", &index, "--arch", "gfx950"];
    let variables = [
        ("PIP_INDEX_URL", upstream.as_str()),
        ("UV_DEFAULT_INDEX", upstream.as_str()),
    ];
    let ran = audit(&args, b"", &variables);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let explicit = server.audit(&[]);
    assert_eq!(ran.stdout, explicit.stdout);
}

#[test]
fn several_architectures_are_audited_in_one_call() {
    let site = Site::new(&ours(), &theirs());
    let mut wheels = ours();
    wheels.retain(|one| one["name"] != "atom");
    let pinned = pins(&ours());
    site.index("data/gfx1201", json!({"wheels": wheels, "pin": pinned}));
    let server = site.serve(&[]);
    let (index, upstream) = (server.url("data"), server.url("public/"));
    let args = [
        "--index",
        &index,
        "--upstream",
        &upstream,
        "--with",
        "uv",
        "--arch",
        "gfx950,gfx1201",
    ];
    let ran: Ran = audit(&args, b"", &[]);
    assert_eq!(
        (ran.code, ran.findings()),
        (1, vec!["uv unsatisfiable rocm-torch".to_owned()])
    );
    assert_eq!(ran.document()["findings"][0]["architecture"], "gfx1201");
    let document = ran.document();
    let resolved = document["evidence"].as_array().unwrap();
    assert!(resolved.iter().all(|one| one["architecture"] == "gfx950"));

    // What cannot be reached does not hide what is wrong with the others.
    let ran = audit(&[&args[..7], &["gfx1151,gfx1201"]].concat(), b"", &[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert!(
        lines[0].starts_with("index-audit: gfx1201: unsatisfiable: uv cannot resolve "),
        "{lines:?}"
    );
    assert_eq!(
        server.anonymous(lines[1]),
        "index-audit: HERE/data/gfx1151/: the server answers 404 Not Found; --index names the folder that holds one folder per architecture"
    );
}
