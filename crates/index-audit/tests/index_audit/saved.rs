//! Saved resolves, made by the real clients, judged through a pipe.

use serde_json::{Value, json};

use crate::stand::{ROCM_TORCH, Ran, Server, Site, audit, ours, pins, theirs, wheel};

fn judge(index: &str, report: &[u8], more: &[&str]) -> Ran {
    let mut args = vec!["--index", index, "--arch", "gfx950", "--report", "-"];
    args.extend(more);
    audit(&args, report, &[])
}

/// Both clients' resolves of these requirements, where the public index comes into play.
fn both(server: &Server, requirements: &[&str]) -> [Vec<u8>; 2] {
    [
        server.pip(requirements),
        server.uv_public_first(requirements),
    ]
}

#[test]
fn a_clean_set_passes_from_a_server_and_from_disk() {
    let site = Site::new(&ours(), &theirs());
    let server = site.serve(&[]);
    let folder = site.path("data");
    let reports = [
        server.pip(&[ROCM_TORCH]),
        server.uv_ours_first(&[ROCM_TORCH]),
    ];
    for report in &reports {
        for index in [
            server.url("data"),
            server.url("data/"),
            folder.to_str().unwrap().to_owned(),
        ] {
            let ran = judge(&index, report, &[]);
            assert_eq!(
                (ran.code, ran.stderr.as_str(), ran.findings()),
                (0, "", vec![]),
                "{index}"
            );
            let document = ran.document();
            let evidence = document["evidence"].as_array().unwrap();
            assert_eq!(evidence.len(), 8);
            for one in evidence {
                assert_eq!(
                    one["ours"].as_bool().unwrap(),
                    one["name"] != "numpy",
                    "{one}"
                );
            }
        }
    }
}

#[test]
fn cuda_that_comes_in_by_a_bare_name_is_told_with_who_requires_it() {
    let site = Site::new(&[wheel("torch_stub", "1+rocm10.1.0")], &theirs());
    let server = site.serve(&[]);
    let index = server.url("data");
    let [pip, uv] = both(&server, &["nixl"]);
    let ran = judge(&index, &pip, &[]);
    assert_eq!(
        (ran.code, ran.findings()),
        (
            1,
            vec![
                "pip cuda nixl-cu12".to_owned(),
                "pip cuda nixl-cu13".to_owned()
            ]
        )
    );
    assert_eq!(
        ran.message("cuda", "nixl-cu12"),
        "nixl-cu12 1.5.2 is a CUDA package (`*-cu#`: built for the CUDA release that the name ends in), required by \
         nixl 1.5.2"
    );
    let ran = judge(&index, &uv, &[]);
    assert_eq!(
        (ran.code, ran.findings()),
        (
            1,
            vec![
                "uv cuda nixl-cu12".to_owned(),
                "uv cuda nixl-cu13".to_owned()
            ]
        )
    );
}

#[test]
fn a_higher_version_and_a_final_over_an_alpha_are_foreign() {
    let site = Site::new(&ours(), &theirs());
    let server = site.serve(&[]);
    for (report, client) in both(&server, &["atom", "torch"]).iter().zip(["pip", "uv"]) {
        let ran = judge(&server.url("data"), report, &[]);
        assert_eq!(ran.code, 1);
        assert_eq!(
            server.anonymous(&ran.message("foreign", "atom")),
            "atom 0.12.1 came from HERE/public/files/atom-0.12.1-py3-none-any.whl; our index has 0.1.9+rocm10.1.0"
        );
        assert_eq!(
            server.anonymous(&ran.message("foreign", "torch")),
            "torch 2.15.0 came from HERE/public/files/torch-2.15.0-py3-none-any.whl; our index has \
             2.15.0a0+git31a77fc.rocm10.1.0"
        );
        assert!(
            ran.findings()
                .contains(&format!("{client} cuda nvidia-cublas")),
            "{ran:?}"
        );
    }
}

#[test]
fn an_equal_version_without_a_local_segment_is_foreign_through_the_metapackage() {
    let mut wheels = ours();
    wheels.retain(|one| one["name"] != "triton_kernels");
    wheels.push(wheel("triton_kernels", "1.0.0"));
    let site = Site::new(&wheels, &theirs());
    let server = site.serve(&[]);
    // pip takes the extra index's file at equal versions; uv takes that of the index that it asks first.
    let ran = judge(&server.url("data"), &server.pip(&[ROCM_TORCH]), &[]);
    assert_eq!(
        (ran.code, ran.findings()),
        (1, vec!["pip foreign triton-kernels".to_owned()])
    );
    let ran = judge(
        &server.url("data"),
        &server.uv_public_first(&["triton-kernels"]),
        &[],
    );
    assert_eq!(
        (ran.code, ran.findings()),
        (1, vec!["uv foreign triton-kernels".to_owned()])
    );
}

#[test]
fn a_bare_or_misspelt_extra_installs_nothing_and_every_pin_is_missing() {
    let site = Site::new(&ours(), &theirs());
    let server = site.serve(&[]);
    for wanted in ["rocm-torch", "rocm-torch[device-gfx905]"] {
        for report in [server.pip(&[wanted]), server.uv_ours_first(&[wanted])] {
            let ran = judge(&server.url("data"), &report, &[]);
            assert_eq!((ran.code, ran.findings().len()), (1, 6), "{wanted}");
            assert_eq!(
                ran.message("pin.missing", "atom"),
                "rocm-torch 10.1.0+gfx950.424e84fe pins `atom==0.1.9+rocm10.1.0` and nothing of that name came; was it \
                 asked for as rocm-torch[device-gfx950]?"
            );
        }
    }
}

#[test]
fn a_project_that_the_metapackage_does_not_pin_is_told() {
    let wheels = ours();
    let mut pinned = pins(&wheels);
    pinned
        .as_array_mut()
        .unwrap()
        .retain(|pin| pin[0] != "atom");
    let site = Site::pinning(&wheels, &pinned, &theirs());
    let server = site.serve(&[]);
    for report in [
        server.pip(&[ROCM_TORCH]),
        server.uv_ours_first(&[ROCM_TORCH]),
    ] {
        let ran = judge(&server.url("data"), &report, &[]);
        assert_eq!(ran.code, 1);
        assert_eq!(
            ran.message("pin.unpinned", "atom"),
            "our index carries atom and rocm-torch 10.1.0+gfx950.424e84fe does not pin it: it comes by chance or not \
             at all"
        );
    }
}

#[test]
fn a_marker_that_pip_could_not_evaluate_makes_the_resolve_one_for_another_python() {
    let mut wheels = ours();
    wheels.push(json!({"name": "lmcache", "version": "1+rocm10.1.0", "requires": [
        "m314; python_version >= '3.14'", "m313; python_version < '3.14'", "numpy>=2; python_version >= '3.14'"]}));
    let mut public = theirs();
    public.extend([wheel("m314", "1"), wheel("m313", "1")]);
    let site = Site::new(&wheels, &public);
    let server = site.serve(&[]);
    let index = server.url("data");

    let ran = judge(&index, &server.pip(&[ROCM_TORCH]), &[]);
    assert_eq!(
        (ran.code, ran.findings()),
        (1, vec!["pip target m314".to_owned()])
    );
    let message = ran.message("target", "m314");
    assert!(
        message.starts_with("lmcache 1+rocm10.1.0 requires `m314` on Python 3.14, which pip left out because it runs on 3.")
            && message.ends_with("; resolve with uv, or with pip on that Python"),
        "{message}"
    );

    let lock = server.uv_ours_first(&[ROCM_TORCH]);
    assert_eq!(judge(&index, &lock, &[]).code, 0);
    let ran = judge(&index, &lock, &["--python", "3.13"]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.message("target", "atom"),
        "the lock is for Python 3.14 and later, not for 3.13; resolve with --python-version 3.13"
    );
}

/// pip's report of a clean set, with one distribution changed.
fn changed(report: &[u8], name: &str, change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut report: Value = serde_json::from_slice(report).unwrap();
    let items = report["install"].as_array_mut().unwrap();
    change(
        items
            .iter_mut()
            .find(|item| item["metadata"]["name"] == name)
            .unwrap(),
    );
    report.to_string().into_bytes()
}

#[test]
fn the_same_name_with_other_bytes_or_no_hash_or_from_a_second_copy_is_told() {
    let site = Site::new(&ours(), &theirs());
    let server = site.serve(&[]);
    let clean = server.pip(&[ROCM_TORCH]);

    let other = changed(&clean, "atom", |atom| {
        atom["download_info"]["archive_info"] = json!({"hashes": {"sha256": "ab".repeat(32)}});
    });
    let ran = judge(&server.url("data"), &other, &[]);
    assert_eq!(
        (ran.code, ran.findings()),
        (1, vec!["pip replaced atom".to_owned()])
    );
    assert!(
        ran.message("replaced", "atom")
            .ends_with(": the file was replaced under its name")
    );

    let none = changed(&clean, "atom", |atom| {
        atom["download_info"]["archive_info"] = json!({});
    });
    let ran = judge(&server.url("data"), &none, &[]);
    assert_eq!(
        (ran.code, ran.findings()),
        (1, vec!["pip no-hash atom".to_owned()])
    );

    let copy = changed(&clean, "atom", |atom| {
        let url = atom["download_info"]["url"]
            .as_str()
            .unwrap()
            .replace("127.0.0.1", "mirror.example");
        atom["download_info"]["url"] = json!(url);
    });
    let ran = judge(&server.url("data"), &copy, &[]);
    assert_eq!(
        (ran.code, ran.findings()),
        (1, vec!["pip foreign atom".to_owned()])
    );
    let ran = judge(site.path("data").to_str().unwrap(), &copy, &[]);
    assert_eq!(
        (ran.code, ran.findings()),
        (1, vec!["pip two-sites atom".to_owned()]),
        "{ran:?}"
    );
}

#[test]
fn a_lock_is_judged_offline_by_the_metadata_that_waits_to_be_uploaded() {
    let site = Site::new(&[], &theirs());
    let wheels = ours();
    let server = site.serve(&[]);
    let spec = json!({"wheels": wheels, "pin": pins(&wheels), "base": server.url("site/data/wheels/gfx950/files")});
    site.index("site/data/wheels/gfx950", spec);
    let assets = site.path("site/assets/gfx950");
    std::fs::create_dir_all(&assets).unwrap();
    let index = [
        server.url("site/data/wheels/gfx950/"),
        server.url("public/"),
    ];
    let lock = crate::stand::uv(
        &[ROCM_TORCH],
        &["--index", &index[0], "--default-index", &index[1]],
    );
    drop(server);
    let root = site.path("site/data/wheels");
    let ran = judge(root.to_str().unwrap(), &lock, &["--deadline", "1"]);
    assert_eq!(
        ran.code, 2,
        "nothing is uploaded and nothing waits: {ran:?}"
    );
    for entry in std::fs::read_dir(site.path("site/data/wheels/gfx950/files")).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name().to_str().unwrap().ends_with(".metadata") {
            std::fs::rename(entry.path(), assets.join(entry.file_name())).unwrap();
        }
    }
    let ran = judge(root.to_str().unwrap(), &lock, &[]);
    assert_eq!((ran.code, ran.findings()), (0, vec![]), "{ran:?}");
    assert_eq!(ran.check("pins", Some("uv"))["answer"], "passed");
}

#[test]
fn somebody_elses_metapackage_is_foreign() {
    let mut public = theirs();
    public.push(json!({"name": "rocm_torch", "version": "99", "extras": ["device-gfx950"]}));
    let site = Site::new(&ours(), &public);
    let server = site.serve(&[]);
    for report in both(&server, &[ROCM_TORCH]) {
        let ran = judge(&server.url("data"), &report, &[]);
        assert_eq!(ran.code, 1);
        assert!(
            ran.message("foreign", "rocm-torch")
                .starts_with("rocm-torch 99 came from ")
        );
    }
}

#[test]
fn the_judgement_is_shown_to_a_person_and_written_in_markdown() {
    let site = Site::new(&ours(), &theirs());
    let server = site.serve(&[]);
    let summary = site.path("summary.md");
    let report = server.pip(&["triton-kernels", "atom"]);
    let ran = judge(
        &server.url("data"),
        &report,
        &["--explain", "--summary", summary.to_str().unwrap()],
    );
    assert_eq!(ran.code, 1);
    let text = server.anonymous(&ran.stdout);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "GPU     distribution    version           origin     client  file",
            "gfx950  atom            0.12.1            elsewhere  pip     HERE/public/files/atom-0.12.1-py3-none-any.whl",
            "gfx950  triton-kernels  1.0.0+rocm10.1.0  ours       pip     HERE/data/gfx950/files/triton_kernels-1.0.0%2Brocm10.1.0-py3-none-any.whl",
        ]
    );
    assert_eq!(
        lines[lines.len() - 2..],
        [
            "wrong: gfx950 pip: foreign: atom 0.12.1 came from HERE/public/files/atom-0.12.1-py3-none-any.whl; our index \
             has 0.1.9+rocm10.1.0",
            "not clean",
        ]
    );
    let markdown = server.anonymous(&std::fs::read_to_string(summary).unwrap());
    assert!(
        markdown.starts_with(
            "# `HERE/data` is not clean\n\n\
             ## Wrong\n\n\
             | GPU | client | rule | what |\n\
             |---|---|---|---|\n\
             | gfx950 | pip | foreign | atom 0.12.1 came from "
        ),
        "{markdown}"
    );

    let nowhere = ["--summary", "/nowhere/summary.md"];
    let ran = judge(&server.url("data"), &report, &nowhere);
    assert_eq!(
        (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
        (
            2,
            "",
            "index-audit: /nowhere/summary.md: No such file or directory (os error 2); check the path\n"
        )
    );
}
