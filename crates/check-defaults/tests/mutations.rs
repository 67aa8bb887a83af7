//! Each rule is broken in a copy of the repository by a small edit, and has to be found, named and located; the tree as it
//! is has no finding.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What check-defaults reads of the repository, in a folder of its own.
fn copy() -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for file in ["Makefile", "docker-bake.hcl", "rocm-bake.toml"] {
        fs::copy(root().join(file), copy.path().join(file)).unwrap();
    }
    for folder in ["docker", "docs"] {
        fs::create_dir(copy.path().join(folder)).unwrap();
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                fs::copy(
                    entry.path(),
                    copy.path().join(folder).join(entry.file_name()),
                )
                .unwrap();
            }
        }
    }
    copy
}

fn check(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_check-defaults"))
        .args(arguments)
        .current_dir(folder)
        // What a make that runs the tests would hand on.
        .env("MAKEFLAGS", "n")
        .env("ARCH", "gfx1201")
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// An edit: in `file`, the first `old` becomes `new`. An empty `old` appends.
struct Edit {
    file: &'static str,
    old: &'static str,
    new: &'static str,
}

/// What is to be found: the rule, in the line of `at.0` that holds `at.1`, and a part of the message.
struct Found {
    rule: &'static str,
    at: (&'static str, &'static str),
    message: &'static str,
    /// The other side: a line of that file.
    other: Option<(&'static str, &'static str)>,
}

fn edit(folder: &Path, edit: &Edit) {
    let path = folder.join(edit.file);
    let text = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text.contains(edit.old),
        "{}: `{}` is gone",
        edit.file,
        edit.old
    );
    let text = if edit.old.is_empty() {
        text + edit.new
    } else {
        text.replacen(edit.old, edit.new, 1)
    };
    fs::write(&path, text).unwrap();
}

/// `file:line` of where `text`, which may be several lines, ends for the first time in `file`.
fn place(folder: &Path, (file, text): (&str, &str)) -> String {
    let content = fs::read_to_string(folder.join(file)).unwrap();
    let start = content
        .find(text)
        .unwrap_or_else(|| panic!("{file} has no `{text}`"));
    let line = content[..start + text.len()].matches('\n').count() + 1;
    format!("{file}:{line}")
}

/// The edits, and what they have to bring out.
fn cases() -> Vec<(Vec<Edit>, Found)> {
    const MK: &str = "docker/build.mk";
    const BAKE: &str = "docker-bake.hcl";
    let case = |file, old, new, rule, at, message, other| {
        (
            vec![Edit { file, old, new }],
            Found {
                rule,
                at,
                message,
                other,
            },
        )
    };
    vec![
        // --- WHEEL_REPOS and the group `wheels`
        case(
            MK,
            "aiter-wheel nixl-wheel",
            "aiter-wheel",
            "wheel-repos",
            (MK, "WHEEL_REPOS :="),
            "WHEEL_REPOS lacks `nixl-wheel`",
            Some((BAKE, "target \"nixl-wheel\"")),
        ),
        case(
            MK,
            "aiter-wheel nixl-wheel",
            "aiter-wheel aiter-wheel nixl-wheel",
            "wheel-repos",
            (MK, "WHEEL_REPOS :="),
            "names `aiter-wheel` twice",
            Some((BAKE, "group \"wheels\"")),
        ),
        case(
            "Makefile",
            "CARGO ?=",
            "WHEEL_REPOS += base\nCARGO ?=",
            "wheel-repos",
            ("Makefile", "WHEEL_REPOS +="),
            "names `base`, which no member",
            Some((BAKE, "group \"wheels\"")),
        ),
        case(
            BAKE,
            "\"pytorch-wheel\", \"triton-wheel\", \"aiter-wheel\", \"nixl-wheel\", \"torchvision-wheel\"",
            "\"pytorch-wheel\", \"aiter-wheel\", \"nixl-wheel\", \"torchvision-wheel\"",
            "wheel-repos",
            (MK, "WHEEL_REPOS :="),
            "names `triton-wheel`, which no member",
            Some((BAKE, "group \"wheels\"")),
        ),
        case(
            BAKE,
            "\"pytorch-wheel\", \"triton-wheel\", \"aiter-wheel\", \"nixl-wheel\",",
            "\"pytorch-wheel\", \"triton-wheel\", \"aiter-wheel\", \"nixl-wheel\", \"nixl-wheel\",",
            "wheel-repos",
            (BAKE, "\"nixl-wheel\", \"nixl-wheel\""),
            "names `nixl-wheel` twice",
            Some((MK, "WHEEL_REPOS :=")),
        ),
        case(
            BAKE,
            "tags(\"nixl-wheel\",",
            "tags(\"nixl-wheels\",",
            "wheel-repos",
            (MK, "WHEEL_REPOS :="),
            "lacks `nixl-wheels`",
            Some((BAKE, "target \"nixl-wheel\"")),
        ),
        // --- Defaults
        case(
            MK,
            "?= 3.9.0",
            "?= 3.9.1",
            "default-value",
            (MK, "TRITON_VERSION  ?="),
            "`3.9.1` by default in the Makefile and `3.9.0`",
            Some((BAKE, "variable \"TRITON_VERSION\"")),
        ),
        case(
            BAKE,
            "default = \"v0.33.0\"",
            "default = \"v0.34.0\"",
            "default-value",
            (MK, "VLLM_REF        ?="),
            "`v0.33.0` by default in the Makefile and `v0.34.0`",
            Some((BAKE, "variable \"VLLM_REF\"")),
        ),
        case(
            "docker/Dockerfile.base",
            "ARG PYTHON_VERSION",
            "ARG PYTHON_VERSION=3.13",
            "default-value",
            ("docker/Dockerfile.base", "ARG PYTHON_VERSION="),
            "`3.13` by default in the Dockerfile",
            Some((BAKE, "variable \"PYTHON_VERSION\"")),
        ),
        // --- Groups
        case(
            BAKE,
            "group \"serving\"",
            "group \"served\"",
            "group-member",
            (BAKE, "# Sixteen targets"),
            "there is no group `serving`",
            None,
        ),
        case(
            BAKE,
            "\"rocm-runtime\", \"pytorch-src\"",
            "\"rocm-runtimes\", \"pytorch-src\"",
            "group-member",
            (BAKE, "\"rocm-runtimes\""),
            "`rocm-runtimes` is neither a target nor a group",
            None,
        ),
        // --- Targets and Dockerfiles
        case(
            BAKE,
            "docker/Dockerfile.cupy",
            "docker/Dockerfile.cupid",
            "dockerfile",
            (BAKE, "Dockerfile.cupid"),
            "is built from `docker/Dockerfile.cupid`, which is not there",
            None,
        ),
        case(
            BAKE,
            "docker/Dockerfile.cupy",
            "docker/Dockerfile.nixl",
            "dockerfile",
            ("docker/Dockerfile.cupy", "# wheel: cupy"),
            "no target is built from `docker/Dockerfile.cupy`",
            Some((BAKE, "# Sixteen targets")),
        ),
        case(
            "docker/Dockerfile.new",
            "",
            "FROM scratch\n",
            "dockerfile",
            ("docker/Dockerfile.new", "FROM"),
            "no target is built from",
            Some((BAKE, "# Sixteen targets")),
        ),
        case(
            BAKE,
            "context   = \".\"",
            "context   = \"docker\"",
            "context",
            (BAKE, "context   = \"docker\""),
            "is `docker` and not the repository root",
            None,
        ),
        case(
            BAKE,
            "target     = \"vllm\"",
            "target     = \"vlm\"",
            "stage",
            (BAKE, "target     = \"vlm\""),
            "built to the stage `vlm`",
            Some(("docker/Dockerfile.vllm", "# vllm:")),
        ),
        case(
            "docker/Dockerfile.nixl",
            "FROM scratch AS wheel",
            "FROM build AS wheel",
            "wheel-stage",
            ("docker/Dockerfile.nixl", "FROM build AS wheel"),
            "its stage is more than wheels",
            Some((BAKE, "target \"nixl-wheel\"")),
        ),
        case(
            "docker/Dockerfile.nixl",
            "COPY --from=build /dist/*.whl /wheels/",
            "COPY --from=build /dist/*.whl /",
            "wheel-stage",
            ("docker/Dockerfile.nixl", "FROM scratch AS wheel"),
            "its stage is more than wheels",
            Some((BAKE, "target \"nixl-wheel\"")),
        ),
        // --- What a step takes
        case(
            "docker/Dockerfile.cupy",
            "COPY --from=build",
            "COPY --from=biuld",
            "copy-source",
            ("docker/Dockerfile.cupy", "biuld"),
            "`biuld` is neither an earlier stage",
            None,
        ),
        case(
            "docker/Dockerfile.runtime",
            "from=pytorch,source=/wheels",
            "from=torch,source=/wheels",
            "copy-source",
            ("docker/Dockerfile.runtime", "from=torch"),
            "`torch` is neither an earlier stage",
            None,
        ),
        case(
            "docker/Dockerfile.aiter",
            "source=docker/checkout.sh",
            "source=docker/check-out.sh",
            "copy-source",
            ("docker/Dockerfile.aiter", "check-out.sh"),
            "`docker/check-out.sh` is not in the build context",
            None,
        ),
        // --- Arguments
        case(
            BAKE,
            "CUPY_REF          = CUPY_REF",
            "CUPID_REF         = CUPY_REF",
            "arg-unknown",
            (BAKE, "CUPID_REF"),
            "passes CUPID_REF, which docker/Dockerfile.cupy declares nowhere",
            Some(("docker/Dockerfile.cupy", "# wheel: cupy")),
        ),
        case(
            BAKE,
            "CUPY_REF          = CUPY_REF",
            "",
            "arg-unpassed",
            (BAKE, "target \"cupy-wheel\""),
            "does not pass CUPY_REF",
            Some(("docker/Dockerfile.cupy", "ARG CUPY_REF")),
        ),
        case(
            "docker/Dockerfile.cupy",
            "ARG PYTORCH_ROCM_ARCH\n",
            "",
            "arg-unknown",
            (BAKE, "= CUPY_REF\n    PYTORCH_ROCM_ARCH"),
            "passes PYTORCH_ROCM_ARCH",
            Some(("docker/Dockerfile.cupy", "# wheel: cupy")),
        ),
        case(
            "docker/Dockerfile.cupy",
            "ARG BASE_IMAGE\n\nFROM ${BASE_IMAGE} AS build\n",
            "FROM ${BASE_IMAGE} AS build\nARG BASE_IMAGE\n",
            "arg-scope",
            ("docker/Dockerfile.cupy", "FROM ${BASE_IMAGE}"),
            "FROM uses BASE_IMAGE, which is not declared before the first FROM",
            None,
        ),
        case(
            "docker/Dockerfile.runtime",
            "ARG PYTHON_VERSION\n",
            "",
            "arg-unknown",
            (BAKE, "PYTHON_VERSION     = PYTHON_VERSION"),
            "passes PYTHON_VERSION",
            Some(("docker/Dockerfile.runtime", "# torch and triton")),
        ),
        case(
            "docker/Dockerfile.runtime",
            "FROM ${UBUNTU_IMAGE} AS runtime\nSHELL",
            "ARG PYTHON_VERSION\nFROM ${UBUNTU_IMAGE} AS runtime\nRUN echo ${PYTHON_VERSION}\nSHELL",
            "arg-scope",
            ("docker/Dockerfile.runtime", "RUN echo"),
            "PYTHON_VERSION is used in a stage that has not declared it",
            None,
        ),
        // --- Versions
        case(
            "docker/Dockerfile.base",
            "\"python${PYTHON_VERSION}-dev\"",
            "python3.14-dev",
            "literal-version",
            ("docker/Dockerfile.base", "python3.14-dev"),
            "stands beside ARG PYTHON_VERSION",
            Some(("docker/Dockerfile.base", "ARG PYTHON_VERSION")),
        ),
        case(
            "docker/Dockerfile.vllm",
            "-r requirements/rocm.txt",
            "-r requirements/vllm-0.31.txt",
            "literal-version",
            ("docker/Dockerfile.vllm", "vllm-0.31"),
            "`vllm-0.31` stands beside ARG VLLM_REF",
            Some(("docker/Dockerfile.vllm", "ARG VLLM_REF")),
        ),
        // --- Images of others
        case(
            "docker/Dockerfile.runtime",
            "FROM ${UBUNTU_IMAGE} AS runtime",
            "FROM ubuntu:26.04 AS runtime",
            "unpinned-image",
            ("docker/Dockerfile.runtime", "FROM ubuntu:26.04"),
            "is built on ubuntu:26.04, which no digest pins",
            Some((BAKE, "target \"pytorch-run\"")),
        ),
        (
            vec![
                Edit {
                    file: BAKE,
                    old: "variable \"UBUNTU_DIGEST\" {\n  default = \"\"",
                    new: "variable \"UBUNTU_DIGEST\" {\n  default = \"sha256:0\"",
                },
                Edit {
                    file: MK,
                    old: "UBUNTU_DIGEST   ?=",
                    new: "UBUNTU_DIGEST   ?= sha256:0",
                },
                Edit {
                    file: BAKE,
                    old: "UBUNTU_IMAGE       = pinned(UBUNTU_IMAGE, UBUNTU_DIGEST)",
                    new: "UBUNTU_IMAGE       = UBUNTU_IMAGE",
                },
            ],
            Found {
                rule: "unpinned-image",
                at: ("docker/Dockerfile.runtime", "FROM ${UBUNTU_IMAGE}"),
                message: "built on ubuntu:26.04, and UBUNTU_DIGEST is not in it",
                other: Some((BAKE, "variable \"UBUNTU_DIGEST\"")),
            },
        ),
        // --- Caches
        case(
            MK,
            "vllm-cache lmcache-cache",
            "vllm-cache",
            "clean-cache",
            (MK, "CLEAN_CACHES :="),
            "does not remove `lmcache-cache`",
            Some(("rocm-bake.toml", "cleaned =")),
        ),
        case(
            MK,
            "vllm-cache lmcache-cache",
            "vllm-cache lmcache-cache cupy-wheel-cache",
            "clean-cache",
            (MK, "CLEAN_CACHES :="),
            "removes `cupy-wheel-cache`, which is not declared",
            Some(("rocm-bake.toml", "cleaned =")),
        ),
        case(
            BAKE,
            "cache(\"lmcache\")",
            "cache(\"lm\")",
            "cache-source",
            (BAKE, "cache(\"lm\")"),
            "`lmcache` reads the cache `lm-cache`, which no target writes",
            None,
        ),
        case(
            BAKE,
            "cache_out(\"lmcache\")",
            "cache_out(\"lm\")",
            "clean-cache",
            (MK, "CLEAN_CACHES :="),
            "removes `lmcache-cache`, which no target",
            Some((BAKE, "# Sixteen targets")),
        ),
    ]
}

#[test]
fn the_tree_as_it_is_has_no_finding() {
    let output = check(&root(), &["--quiet"]);
    assert_eq!(stdout(&output), "");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn each_rule_that_is_broken_is_found_named_and_located() {
    for (edits, found) in cases() {
        let folder = copy();
        for one in &edits {
            edit(folder.path(), one);
        }
        let what = format!("{}: {} -> {}", edits[0].file, edits[0].old, edits[0].new);
        let output = check(folder.path(), &["--quiet"]);
        let text = stdout(&output);
        assert_eq!(
            output.status.code(),
            Some(1),
            "{what}\n{text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let start = format!("{}: {}: ", place(folder.path(), found.at), found.rule);
        let other = found
            .other
            .map(|other| format!("({}); ", place(folder.path(), other)))
            .unwrap_or_default();
        let line = text.lines().find(|line| {
            line.starts_with(&start) && line.contains(found.message) && line.contains(&other)
        });
        assert!(
            line.is_some(),
            "{what}\nwanted: {start}… {} … {other}\ngot:\n{text}",
            found.message
        );
    }
}

#[test]
fn every_rule_has_a_mutation() {
    let document: serde_json::Value =
        serde_json::from_slice(&check(&root(), &["--format", "json"]).stdout).unwrap();
    assert_eq!(document["schema"], "drift/1");
    let explained = stdout(&check(&root(), &["--explain", "--quiet"]));
    let rules: Vec<_> = explained
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    assert!(rules.len() > 10, "{explained}");
    for rule in rules {
        assert!(
            cases().iter().any(|(_, found)| found.rule == rule),
            "nothing breaks {rule}"
        );
    }
}

#[test]
fn an_image_without_a_digest_is_a_note_and_no_finding() {
    let output = check(&root(), &[]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    let start = format!(
        "{}: note: unpinned-image: ROCM_DIGEST is empty: the image rocm/dev-ubuntu-26.04:10.1.0-full is followed by its tag",
        place(&root(), ("docker-bake.hcl", "variable \"ROCM_DIGEST\""))
    );
    assert!(lines[0].starts_with(&start), "{text}");
}

#[test]
fn a_finding_annotates_its_line() {
    let folder = copy();
    edit(
        folder.path(),
        &Edit {
            file: "docker/build.mk",
            old: "aiter-wheel nixl-wheel",
            new: "aiter-wheel",
        },
    );
    let text = stdout(&check(folder.path(), &["--format", "github", "--quiet"]));
    let line =
        place(folder.path(), ("docker/build.mk", "WHEEL_REPOS :=")).replace("docker/build.mk:", "");
    let other = place(folder.path(), ("docker-bake.hcl", "target \"nixl-wheel\""));
    assert_eq!(
        text,
        format!(
            "::error file=docker/build.mk,line={line},title=wheel-repos::WHEEL_REPOS lacks `nixl-wheel`, which the bake group `wheels` publishes ({other}); add `nixl-wheel` to WHEEL_REPOS\n"
        )
    );
}

#[test]
fn a_missing_bake_file_is_told() {
    let folder = copy();
    fs::remove_file(folder.path().join("docker-bake.hcl")).unwrap();
    let output = check(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&output), "");
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "check-defaults: docker-bake.hcl: No such file or directory (os error 2)\n"
    );
}

#[test]
fn a_dockerfile_that_does_not_parse_is_told_with_its_place() {
    let folder = copy();
    edit(
        folder.path(),
        &Edit {
            file: "docker/Dockerfile.cupy",
            old: "WORKDIR /src",
            new: "WORKDUR /src",
        },
    );
    let output = check(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    let line = place(folder.path(), ("docker/Dockerfile.cupy", "WORKDUR"))
        .replace("docker/Dockerfile.cupy:", "");
    assert_eq!(
        text,
        format!(
            "check-defaults: docker/Dockerfile.cupy: unknown instruction 'WORKDUR' at line {line} column 1\n"
        )
    );
}
