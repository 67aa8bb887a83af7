//! The tags of the sixteen targets, word for word.

use pipe::TagClass;

use super::{root, run};

const REGISTRY: &str = "snoc-strix.fold-leaffish.ts.net:8080/rocm-pytorch";

const VERSIONED: [&str; 16] = [
    "rocm-runtime:10.1.0-full-gfx950",
    "base:10.1.0-full-3.14-gfx950",
    "pytorch-src:2.15.0",
    "pytorch:2.15.0-10.1.0-full-gfx950",
    "pytorch-wheel:2.15.0-10.1.0-full-gfx950",
    "runtime:2.15.0-10.1.0-full-gfx950",
    "pytorch:2.15.0-10.1.0-full-gfx950-test",
    "triton-wheel:3.9.0-10.1.0-full",
    "aiter-wheel:2.15.0-10.1.0-full-gfx950",
    "torchvision-wheel:v0.29.2-10.1.0-full-gfx950",
    "cupy-wheel:v14.2.0-10.1.0-full-gfx950",
    "nixl-wheel:v1.5.2-10.1.0-full-gfx950",
    "vllm:v0.33.0-10.1.0-full-gfx950",
    "vllm-wheel:v0.33.0-10.1.0-full-gfx950",
    "lmcache:v0.5.7-10.1.0-full-gfx950",
    "lmcache-wheel:v0.5.7-10.1.0-full-gfx950",
];

#[test]
fn the_defaults_resolve_to_the_tags_that_are_documented() {
    let ran = run(&root(), &[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let plan = ran.plan();
    assert_eq!(plan.registry, REGISTRY);
    let mut tags: Vec<String> = plan
        .targets
        .iter()
        .map(|target| {
            target.tags[0]
                .reference
                .replace(&format!("{REGISTRY}/"), "")
        })
        .collect();
    tags.sort();
    let mut expected = VERSIONED.to_vec();
    expected.sort_unstable();
    assert_eq!(tags, expected);
}

#[test]
fn a_commit_adds_a_third_tag_behind_the_version_and_its_suffix() {
    let plan = run(&root(), &["VCS_REF=aad2a60d"]).plan();
    let tags = |name: &str| -> Vec<(String, TagClass)> {
        let target = plan
            .targets
            .iter()
            .find(|target| target.name == name)
            .unwrap();
        target
            .tags
            .iter()
            .map(|tag| (tag.tag.clone(), tag.class))
            .collect()
    };
    let expected = |version: &str, latest: &str| {
        vec![
            (version.to_owned(), TagClass::Versioned),
            (latest.to_owned(), TagClass::Latest),
            (format!("{version}-gaad2a60d"), TagClass::Immutable),
        ]
    };
    assert_eq!(
        tags("pytorch"),
        expected("2.15.0-10.1.0-full-gfx950", "latest")
    );
    assert_eq!(
        tags("pytorch-test"),
        expected("2.15.0-10.1.0-full-gfx950-test", "latest-test")
    );
    assert_eq!(
        tags("triton-wheel"),
        expected("3.9.0-10.1.0-full", "latest")
    );
}

#[test]
fn groups_architectures_and_caches_are_as_documented() {
    let plan = run(&root(), &["--arch", "gfx950,gfx1201,gfx1151,gfx1250"]).plan();
    let sizes: Vec<(&str, usize)> = plan
        .groups
        .iter()
        .map(|(name, members)| (name.as_str(), members.len()))
        .collect();
    assert_eq!(sizes, [("default", 14), ("serving", 7), ("wheels", 8)]);
    let without: Vec<&str> = plan
        .targets
        .iter()
        .filter(|target| target.architecture.is_none())
        .map(|target| target.name.as_str())
        .collect();
    assert_eq!(without, ["pytorch-src", "triton-wheel"]);
    // Fourteen for each of the four, and the two above once.
    assert_eq!(plan.targets.len(), 14 * 4 + 2);
    for target in &plan.targets {
        let [cache] = target.caches.as_slice() else {
            panic!("{}: {:?}", target.name, target.caches);
        };
        assert!(
            cache.starts_with(&format!("{REGISTRY}/{}-cache:", target.name)),
            "{cache}"
        );
    }
}

#[test]
fn wheels_cannot_be_built_against_an_empty_registry_and_everything_can() {
    let plan = run(&root(), &[]).plan();
    let needs = |group: &str| -> Vec<String> {
        let images = &plan.needs_published[group];
        images
            .iter()
            .map(|image| image.replace(&format!("{REGISTRY}/"), ""))
            .collect()
    };
    assert_eq!(needs("default"), [""; 0]);
    assert_eq!(
        needs("wheels"),
        [
            "base:10.1.0-full-3.14-gfx950",
            "pytorch:2.15.0-10.1.0-full-gfx950",
            "vllm:v0.33.0-10.1.0-full-gfx950",
        ]
    );
    let told = run(&root(), &["--format", "table"]).stdout;
    assert!(
        told.contains(
            "group wheels: 8 targets; cannot be built against an empty registry, needs base:"
        ),
        "{told}"
    );
}

#[test]
fn a_target_comes_after_what_it_is_built_from() {
    let plan = run(&root(), &["--arch", "gfx950,gfx1201"]).plan();
    let mut published = Vec::new();
    for target in &plan.targets {
        for image in &target.needs_published {
            assert!(published.contains(image), "{} needs {image}", target.name);
        }
        published.extend(target.tags.iter().map(|tag| tag.reference.clone()));
    }
    let step = |name: &str| {
        plan.targets
            .iter()
            .find(|target| target.name == name)
            .unwrap()
            .step
    };
    assert!(step("rocm-runtime") < step("pytorch-base"));
    assert!(step("vllm") < step("lmcache"));
}
