//! This repository with one small edit, which must be found.

use std::fs;

use super::{copy, run};

/// Replaces `from` in one file of a copy and plans four architectures.
fn after(file: &str, from: &str, to: &str) -> Vec<String> {
    let folder = copy();
    let path = folder.path().join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file} has no `{from}`");
    fs::write(&path, text.replacen(from, to, 1)).unwrap();
    let ran = run(
        folder.path(),
        &[
            "--arch",
            "gfx950,gfx1201,gfx1151,gfx1250",
            "VCS_REF=aad2a60d",
        ],
    );
    assert_eq!(ran.code, 1, "{from} -> {to}: {}{}", ran.stderr, ran.stdout);
    ran.findings()
}

#[test]
fn the_repository_as_it_is_has_no_finding() {
    let folder = copy();
    for arguments in [
        &[
            "--arch",
            "gfx950,gfx1201,gfx1151,gfx1250",
            "VCS_REF=aad2a60d",
        ][..],
        &["--arch", "gfx1201"],
        &["--group", "wheels"],
        &[],
    ] {
        let ran = run(folder.path(), arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
        assert_eq!(ran.findings(), [""; 0]);
    }
}

#[test]
fn a_base_without_its_architecture_overwrites_the_other_card() {
    let found = after(
        "docker-bake.hcl",
        "base_tag         = \"${ROCM_VERSION}-${PYTHON_VERSION}-${ARCH}\"",
        "base_tag         = \"${ROCM_VERSION}-${PYTHON_VERSION}\"",
    );
    assert!(
        found.contains(&"tag-collision-arch pytorch-base: gfx950 and gfx1201 both push `base:10.1.0-full-3.14`, and what is in it differs: argument ARCH of pytorch-base (docker/Dockerfile.base:9, stage upstream, COPY into rocm-runtime, FROM into base); name `ARCH` in the tag, or declare in rocm-bake.toml, [tags], that it is noarch or floating".to_owned()),
        "{found:#?}"
    );
}

#[test]
fn a_runtime_without_its_architecture_overwrites_the_other_card() {
    let found = after(
        "docker-bake.hcl",
        "tags(\"runtime\", pytorch_tag, \"\")",
        "tags(\"runtime\", \"${PYTORCH_VERSION}-${ROCM_VERSION}\", \"\")",
    );
    let is_it = |finding: &&String| {
        finding.starts_with("tag-collision-arch pytorch-run: gfx950 and gfx1201 both push `runtime:2.15.0-10.1.0-full`")
    };
    assert!(found.iter().any(|finding| is_it(&finding)), "{found:#?}");
}

#[test]
fn a_test_image_without_its_suffix_takes_latest_from_pytorch() {
    let found = after(
        "docker-bake.hcl",
        "pytorch_tag, \"-test\")",
        "pytorch_tag, \"\")",
    );
    assert!(
        found.contains(&"tag-collision pytorch-test: `pytorch` pushes `pytorch:latest`, too; whichever is built last wins, so give one of them another tag".to_owned()),
        "{found:#?}"
    );
}

#[test]
fn a_wheel_target_without_tags_of_its_own_pushes_those_of_its_image() {
    let found = after(
        "docker-bake.hcl",
        "  tags       = tags(\"pytorch-wheel\", pytorch_tag, \"\")\n",
        "",
    );
    let is_it = |finding: &&String| {
        finding.starts_with(
            "tag-collision pytorch-wheel: `pytorch` pushes `pytorch:2.15.0-10.1.0-full-gfx950`",
        )
    };
    assert!(found.iter().any(|finding| is_it(&finding)), "{found:#?}");
}

#[test]
fn a_reference_that_is_not_in_the_tag_is_found_through_the_dockerfiles() {
    let found = after(
        "docker-bake.hcl",
        "torchvision_tag  = \"${TORCHVISION_REF}-${ROCM_VERSION}-${ARCH}\"",
        "torchvision_tag  = \"v0.29.2-${ROCM_VERSION}-${ARCH}\"",
    );
    let is_it = |finding: &&String| {
        finding.starts_with("tag-ignores torchvision-wheel: `TORCHVISION_REF` reaches it")
            && finding.contains(
                "argument TORCHVISION_REF of torchvision-wheel (docker/Dockerfile.torchvision:",
            )
    };
    assert!(found.iter().any(|finding| is_it(&finding)), "{found:#?}");
}

#[test]
fn a_new_copy_between_stages_makes_a_variable_reach_further() {
    // The wheel of lmcache does not hold cupy; once it copies from there, CUPY_REF reaches it.
    let found = after(
        "docker/Dockerfile.lmcache",
        "FROM scratch AS wheel\n",
        "FROM scratch AS wheel\nCOPY --from=cupy /wheels/ /cupy/\n",
    );
    let is_it =
        |finding: &&String| finding.starts_with("tag-ignores lmcache-wheel: `CUPY_REF` reaches it");
    assert!(found.iter().any(|finding| is_it(&finding)), "{found:#?}");
}

#[test]
fn a_declaration_that_is_taken_away_or_outlived_is_found() {
    let found = after(
        "rocm-bake.toml",
        "noarch = { triton-wheel = \"a compiler: one wheel serves every architecture\" }",
        "",
    );
    let is_it = |finding: &&String| {
        finding.starts_with("tag-collision-arch triton-wheel: gfx950 and gfx1201 both push `triton-wheel:3.9.0-10.1.0-full`")
    };
    assert!(found.iter().any(|finding| is_it(&finding)), "{found:#?}");
    let found = after(
        "docker-bake.hcl",
        "lmcache_tag      = \"${LMCACHE_REF}-",
        "lmcache_tag      = \"${LMCACHE_REF}-${VLLM_REF}-",
    );
    assert_eq!(
        found,
        [
            "stale-declaration lmcache: its tag is declared to ignore `VLLM_REF`, which does not reach it or is named by the tag; remove the declaration from rocm-bake.toml",
            "stale-declaration lmcache-wheel: its tag is declared to ignore `VLLM_REF`, which does not reach it or is named by the tag; remove the declaration from rocm-bake.toml",
        ]
    );
}

#[test]
fn a_link_in_a_group_that_does_not_hold_it_is_found() {
    let found = after(
        "docker-bake.hcl",
        "  inherits   = [\"_wheel\"]\n  dockerfile = \"docker/Dockerfile.cupy\"\n",
        "  inherits   = [\"_wheel\"]\n  dockerfile = \"docker/Dockerfile.cupy\"\n  contexts = { base = \"target:pytorch-base\" }\n",
    );
    let linked = |group: &str| {
        format!(
            "linked-not-pushed cupy-wheel: it is linked to `pytorch-base`, which the group `{group}` does not push: a build of it would stand on an image that is not the published one"
        )
    };
    assert_eq!(found, [linked("serving"), linked("wheels")]);
}
