//! Sets that do not hold together, and input that cannot be read: nothing is written for either.

use serde_json::json;

use crate::stub::{Desk, Ran, Stub, run};

/// Runs on a set that is refused: exit 1, nothing printed, nothing written, these lines on stderr.
fn refused(stubs: &[Stub], more: &[&str], lines: &[&str]) {
    let desk = Desk::with(stubs);
    let ran = desk.run(more);
    let expected = format!("metapkg: {}\n", lines.join("\nmetapkg: "));
    assert_eq!(
        (ran.code, ran.stdout.as_str(), ran.stderr),
        (1, "", expected)
    );
    assert!(!desk.out().exists());
}

fn could_not(ran: &Ran, desk: &Desk, line: &str) {
    assert_eq!(
        (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
        (2, "", format!("metapkg: {line}\n").as_str())
    );
    assert!(!desk.out().exists());
}

#[test]
fn two_versions_of_one_name() {
    refused(
        &[
            Stub::new("foo_bar", "1.0+rocm10.1.0"),
            Stub::new("foo.bar", "1.1+rocm10.1.0"),
        ],
        &[],
        &["two-versions: foo-bar is there as 1.0+rocm10.1.0 and 1.1+rocm10.1.0; keep one"],
    );
}

#[test]
fn a_pin_that_marking_left_dangling() {
    refused(
        &[
            Stub::new("torch", "2.15.0a0+git31a77fc.rocm10.1.0")
                .requires("triton==3.9.0+gitaad2a60d"),
            Stub::new("triton", "3.9.0+gitaad2a60d.rocm10.1.0"),
        ],
        &[],
        &[
            "requirement: torch 2.15.0a0+git31a77fc.rocm10.1.0 requires `triton==3.9.0+gitaad2a60d`, and the set \
           has triton 3.9.0+gitaad2a60d.rocm10.1.0; tag the whole set in one run, which rewrites such pins",
        ],
    );
}

#[test]
fn a_cap_that_the_set_exceeds() {
    refused(
        &[
            Stub::new("vllm", "0.33.0+rocm101").requires("torch<2.15, >=2.14"),
            Stub::new("torch", "2.15.0+rocm10.1.0"),
        ],
        &[],
        &[
            "requirement: vllm 0.33.0+rocm101 requires `torch>=2.14, <2.15`, and the set has torch \
           2.15.0+rocm10.1.0; build the two against each other",
        ],
    );
}

#[test]
fn a_direct_reference_to_a_member() {
    refused(
        &[
            Stub::new("nixl", "1.5.2+rocm10.1.0")
                .requires("nixl_rocm @ https://host/nixl_rocm.whl"),
            Stub::new("nixl_rocm", "1.5.2+rocm10.1.0"),
        ],
        &[],
        &[
            "requirement: nixl 1.5.2+rocm10.1.0 requires `nixl-rocm @ https://host/nixl_rocm.whl`, and the set \
           pins nixl-rocm 1.5.2+rocm10.1.0; no installer takes both",
        ],
    );
}

#[test]
fn an_unmet_requirement_counts_only_where_it_applies() {
    let torch = || Stub::new("torch", "2.15.0+rocm10.1.0").python(">=3.12");
    for marker in [
        "; python_version < '3.12'",
        "; sys_platform == 'win32'",
        "; extra == 'dev'",
        "; platform_machine == 'aarch64'",
    ] {
        let desk = Desk::with(&[
            torch(),
            Stub::new("vllm", "0.33.0+rocm101")
                .tag("cp312-abi3-linux_x86_64")
                .requires(&format!("torch==2.14.0{marker}")),
        ]);
        assert_eq!(desk.run(&[]).code, 0, "{marker}");
    }
    for marker in [
        "; python_version >= '3.14'",
        "; sys_platform == 'linux'",
        "; platform_release > '6'",
    ] {
        let desk = Desk::with(&[
            torch(),
            Stub::new("vllm", "0.33.0+rocm101").requires(&format!("torch==2.14.0{marker}")),
        ]);
        assert_eq!(desk.run(&[]).code, 1, "{marker}");
    }
}

#[test]
fn an_extra_that_a_member_asks_for_is_followed() {
    refused(
        &[
            Stub::new("a", "1+rocm10.1.0").requires("b[x]"),
            Stub::new("b", "1+rocm10.1.0")
                .extra("X")
                .requires("c[y]; extra == 'X'"),
            Stub::new("c", "1+rocm10.1.0")
                .extra("y")
                .requires("nixl-cu12; extra == 'y'"),
        ],
        &[],
        &[
            "cuda: c 1+rocm10.1.0 requires nixl-cu12, which brings CUDA (`*-cu#`: built for the CUDA release that the name ends in); build it for ROCm",
        ],
    );
}

#[test]
fn cuda_in_the_set_and_in_what_it_requires() {
    refused(
        &[
            Stub::new("nixl", "1.5.2+rocm10.1.0")
                .requires("nixl_cu12==1.5.2")
                .requires("nvidia-ml-py")
                .requires("nvidia-nccl-cu12; extra == 'cuda'"),
            Stub::new("nvidia_cublas", "13.0.0+rocm10.1.0"),
        ],
        &[],
        &[
            "cuda: nixl 1.5.2+rocm10.1.0 requires nixl-cu12, which brings CUDA (`*-cu#`: built for the CUDA release that the name ends in); build it for ROCm",
            "cuda: nvidia-cublas 13.0.0+rocm10.1.0 brings CUDA (`nvidia-*`: NVIDIA's own distributions: CUDA libraries and tools); take it out",
        ],
    );
}

#[test]
fn two_sonames_of_one_rocm_library() {
    refused(
        &[
            Stub::new("atom", "0.1.9+rocm10.1.0")
                .needs("libamdhip64.so.6")
                .needs("libomp.so"),
            Stub::new("torch", "2.15.0+rocm10.1.0")
                .needs("libamdhip64.so.7")
                .needs("librocblas.so.5"),
        ],
        &[],
        &[
            "rocm-library: atom 0.1.9+rocm10.1.0 needs libamdhip64.so.6 and torch 2.15.0+rocm10.1.0 needs \
           libamdhip64.so.7; they were not built against one ROCm",
        ],
    );
}

#[test]
fn a_rocm_library_is_known_by_its_name_however_it_was_left_out() {
    let mut desk = Desk::with(&[
        Stub::new("atom", "0.1.9+rocm10.1.0").needs("libamdhip64.so.6"),
        Stub::new("torch", "2.15.0+rocm10.1.0").needs("libamdhip64.so.7"),
    ]);
    let excluded = &mut desk.entries[0]["platform"]["excluded"][0];
    excluded.as_object_mut().unwrap().remove("reason");
    let platform = &mut desk.entries[1]["platform"];
    platform["external"] = platform["excluded"].take();
    platform["excluded"] = json!([]);
    let ran = desk.run(&[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert_eq!(
        ran.stderr,
        "metapkg: rocm-library: atom 0.1.9+rocm10.1.0 needs libamdhip64.so.6 and torch 2.15.0+rocm10.1.0 needs \
         libamdhip64.so.7; they were not built against one ROCm\n"
    );
}

#[test]
fn a_long_chain_of_extras_is_followed_to_its_end() {
    let mut chain = Stub::new("chain", "1+rocm10.1.0").requires("chain[e0]");
    for at in 0..300 {
        let next = at + 1;
        chain = chain.requires(&format!("chain[e{next}]; extra == \"e{at}\""));
    }
    let chain = chain.requires("leaf==2; extra == \"e300\"");
    let ran = Desk::with(&[chain, Stub::new("leaf", "1+rocm10.1.0")]).run(&[]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stderr.ends_with(
            "metapkg: requirement: chain 1+rocm10.1.0 requires `leaf==2`, and the set has leaf 1+rocm10.1.0; \
             build the two against each other\n"
        ),
        "{}",
        ran.stderr
    );
}

#[test]
fn wheels_that_no_python_takes_together() {
    refused(
        &[
            Stub::new("torch", "2.15.0+rocm10.1.0").tag("cp314-cp314-linux_x86_64"),
            Stub::new("vllm", "0.33.0+rocm101").python(">=3.10,<3.14"),
        ],
        &[],
        &[
            "python: no Python takes both torch 2.15.0+rocm10.1.0 (cp314-cp314) and vllm 0.33.0+rocm101 \
           (py3-none, Requires-Python >=3.10,<3.14)",
        ],
    );
    refused(
        &[Stub::new("torch", "2.15.0+rocm10.1.0")
            .tag("cp314-cp314-linux_x86_64")
            .python("<3.14")],
        &[],
        &[
            "python: torch 2.15.0+rocm10.1.0 installs on no CPython 3 (cp314-cp314, Requires-Python <3.14)",
        ],
    );
}

#[test]
fn wheels_that_no_machine_takes_together() {
    refused(
        &[
            Stub::new("torch", "2.15.0+rocm10.1.0").tag("cp314-cp314-linux_x86_64"),
            Stub::new("vllm", "0.33.0+rocm101").tag("cp314-cp314-manylinux_2_39_aarch64"),
        ],
        &[],
        &[
            "machine: vllm 0.33.0+rocm101 is for aarch64 and torch 2.15.0+rocm10.1.0 for x86_64; no machine \
           takes both",
        ],
    );
}

#[test]
fn an_unmarked_pin_is_a_warning_and_under_strict_an_error() {
    let stubs = || {
        [
            Stub::new("triton_kernels", "1.0.0"),
            Stub::new("x", "1+rocm10.1.0").unmeasured(),
        ]
    };
    let unmarked = "unmarked: triton-kernels 1.0.0 has no local version, so whoever publishes 1.0.0 there too \
                    satisfies its pin; mark it with wheel-tagger";
    let unmeasured = "unmeasured: the libraries of x 1+rocm10.1.0 are unknown; let glibc-probe measure the set first";
    let desk = Desk::with(&stubs());
    let ran = desk.run(&[]);
    assert_eq!(
        (ran.code, ran.stderr),
        (0, format!("metapkg: {unmarked}\nmetapkg: {unmeasured}\n"))
    );
    assert_eq!(Desk::with(&stubs()).run(&["--quiet"]).stderr, "");
    refused(&stubs(), &["--strict"], &[unmarked, unmeasured]);
}

#[test]
fn a_mark_of_another_release_is_a_warning_and_under_strict_an_error() {
    let stubs = || {
        [
            Stub::new("torch", "2.15.0+git31a77fc.rocm10.2.0"),
            Stub::new("atom", "1+rocm10.1.0"),
            Stub::new("apex", "1+rocm10.1"),
            Stub::new("vllm", "0.33.0+rocm101"),
        ]
    };
    let told = "other-release: torch 2.15.0+git31a77fc.rocm10.2.0 is marked rocm10.2.0 and --rocm is 10.1.0; pass the \
                release that the wheels were built against";
    let ran = Desk::with(&stubs()).run(&[]);
    assert_eq!((ran.code, ran.stderr), (0, format!("metapkg: {told}\n")));
    assert_eq!(Desk::with(&stubs()).run(&["--quiet"]).stderr, "");
    refused(&stubs(), &["--strict"], &[told]);
}

#[test]
fn a_requires_python_that_cannot_be_read_is_a_warning() {
    let desk = Desk::with(&[Stub::new("a", "1+rocm10.1.0").python(">=3.x")]);
    let ran = desk.run(&[]);
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (
            0,
            "metapkg: requires-python: the Requires-Python `>=3.x` of a 1+rocm10.1.0 cannot be read, so installers \
             ignore it\n"
        )
    );
}

#[test]
fn an_extra_that_nobody_provides_is_a_warning() {
    let desk = Desk::with(&[
        Stub::new("a", "1+rocm10.1.0").requires("b[x]"),
        Stub::new("b", "1+rocm10.1.0"),
    ]);
    assert_eq!(
        desk.run(&[]).stderr,
        "metapkg: extra: a 1+rocm10.1.0 requires `b[x]`, and b 1+rocm10.1.0 provides no such extra\n"
    );
}

#[test]
fn a_requirement_that_installers_discard_the_wheel_for() {
    let desk = Desk::with(&[Stub::new("a", "1+rocm10.1.0").requires("b>=1.0+rocm10.1.0")]);
    let path = desk.entries[0]["path"].as_str().unwrap().to_owned();
    could_not(
        &desk.run(&[]),
        &desk,
        &format!(
            "{path}: Requires-Dist: `>=1.0+rocm10.1.0` in `b>=1.0+rocm10.1.0`: a local version can only be \
             compared with `==`, `!=` or `===`"
        ),
    );
}

#[test]
fn a_file_that_is_gone_or_changed_or_another() {
    let mut desk = Desk::with(&[
        Stub::new("a", "1+rocm10.1.0"),
        Stub::new("b", "1+rocm10.1.0"),
    ]);
    let paths: Vec<String> = desk
        .entries
        .iter()
        .map(|entry| entry["path"].as_str().unwrap().to_owned())
        .collect();
    desk.entries[1]["version"] = "2+rocm10.1.0".into();
    std::fs::remove_file(&paths[0]).unwrap();
    could_not(
        &desk.run(&[]),
        &desk,
        &format!(
            "{}: No such file or directory (os error 2); check the path\nmetapkg: {}: METADATA says b 1+rocm10.1.0 and the set \
             says b 2+rocm10.1.0; measure it again",
            paths[0], paths[1]
        ),
    );
    desk.entries.remove(0);
    let size = desk.entries[0]["size"].as_u64().unwrap();
    desk.entries[0]["size"] = (size + 1).into();
    could_not(
        &desk.run(&[]),
        &desk,
        &format!(
            "{}: the file has {size} bytes and the set says {}; measure it again",
            paths[1],
            size + 1
        ),
    );
    std::fs::write(&paths[1], "<html>not found</html>").unwrap();
    desk.entries[0]["size"] = 22.into();
    let ran = desk.run(&[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(
        ran.stderr.starts_with(&format!("metapkg: {}: ", paths[1])),
        "{}",
        ran.stderr
    );
}

#[test]
fn nothing_to_pin() {
    let desk = Desk::with(&[]);
    could_not(
        &desk.run(&[]),
        &desk,
        "the set holds no wheels to pin; look at what the stage before was given",
    );
    could_not(
        &desk.run_on("", &[]),
        &desk,
        "nothing came in, see the message above",
    );
}

#[test]
fn the_variant_of_an_image_is_not_a_rocm_version() {
    let ran = run(
        &["--rocm", "10.1.0-full", "--arch", "gfx950", "--out", "x"],
        "",
    );
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains(
            "`10.1.0-full` carries the image variant `-full`; strip it and pass `10.1.0`"
        ),
        "{}",
        ran.stderr
    );
    let ran = run(&["--rocm", "10.1.0", "--arch", "GFX950", "--out", "x"], "");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("`GFX950` is not a GPU architecture"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_folder_that_cannot_be_made() {
    let desk = Desk::with(&[Stub::new("a", "1+rocm10.1.0")]);
    std::fs::write(desk.path().join("file"), "").unwrap();
    let out = desk.path().join("file/out");
    let ran = run(
        &[
            "--rocm",
            "10.1.0",
            "--arch",
            "gfx950",
            "--out",
            out.to_str().unwrap(),
        ],
        &desk.set(),
    );
    assert_eq!(
        (ran.code, ran.stdout.as_str(), ran.stderr),
        (
            2,
            "",
            format!(
                "metapkg: {}: Not a directory (os error 20); a file stands where a folder is needed: name another place\n",
                out.display()
            )
        )
    );
}

#[test]
fn a_metapackage_that_cannot_be_written_is_named() {
    let desk = Desk::with(&[Stub::new("a", "1+rocm10.1.0")]);
    std::fs::write(desk.path().join("set.json"), desk.set()).unwrap();
    let limited =
        "trap '' XFSZ; ulimit -f 0; exec \"$0\" --rocm 10.1.0 --arch gfx950 --out out < set.json";
    let ran = std::process::Command::new("bash")
        .current_dir(desk.path())
        .args(["-c", limited, env!("CARGO_BIN_EXE_metapkg")])
        .output()
        .unwrap();
    let stderr = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.starts_with("metapkg: out/rocm_torch-10.1.0+gfx950.")
            && stderr.contains("-py3-none-any.whl: File too large (os error 27)")
            && stderr.ends_with("; name a place that takes files of this size\n"),
        "{stderr}"
    );
    assert!(!desk.out().exists());
}

#[test]
fn a_document_that_says_something_else_than_the_file_name_is_refused() {
    let said = "its file name does not say what the set says as";
    for (field, value, cause) in [
        ("filename", json!("other.whl"), format!("{said} `filename`")),
        ("tags", json!(["cp27-none-any"]), format!("{said} `tags`")),
        ("sha256", json!(""), "`` is not a sha256".to_owned()),
    ] {
        let mut desk = Desk::with(&[Stub::new("torch", "2.15.0+rocm10.1.0")]);
        desk.entries[0][field] = value;
        let path = desk.entries[0]["path"].as_str().unwrap().to_owned();
        let line = format!("{path}: {cause}; measure it again");
        could_not(&desk.run(&[]), &desk, &line);
    }
}
