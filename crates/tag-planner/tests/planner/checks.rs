//! Each rule on a small file that breaks it.

use std::fs;

use super::{project, run};

const VARIABLES: &str = r#"
variable "ARCH" {
  default = "gfx950"
}
variable "A" {
  default = "1"
}
variable "VCS_REF" {
  default = ""
}
"#;

/// What is found in a file with the usual variables.
fn found(targets: &str, config: &str, arguments: &[&str]) -> Vec<String> {
    let folder = project(&format!("{VARIABLES}{targets}"), config);
    let ran = run(folder.path(), arguments);
    assert!(ran.code < 2, "{}", ran.stderr);
    let findings = ran.findings();
    assert_eq!(ran.code, i32::from(!findings.is_empty()));
    findings
}

#[test]
fn two_targets_that_push_one_tag() {
    let targets = r#"
target "a" {
  tags = ["r/x/a:${A}", "r/x/a:latest"]
}
target "b" {
  tags = ["r/x/a:${A}-test", "r/x/a:latest"]
}
"#;
    assert_eq!(
        found(targets, "", &[]),
        [
            "tag-collision b: `a` pushes `a:latest`, too; whichever is built last wins, so give one of them another tag"
        ]
    );
    // Moving is one thing, two owners another: floating does not permit it.
    assert_eq!(
        found(targets, "[tags]\nfloating = { latest = \"moves\" }\n", &[]).len(),
        1
    );
}

#[test]
fn one_tag_for_two_architectures_whose_images_differ() {
    let targets = r#"
target "a" {
  tags = ["r/x/a:1", "r/x/a:latest"]
  args = { A = ARCH }
}
target "b" {
  tags = ["r/x/b:1"]
}
"#;
    let arguments = ["--arch", "gfx950,gfx1201"];
    let way = "argument A of a (Dockerfile:3, stage 0)";
    let collision = |tag: &str| {
        format!(
            "tag-collision-arch a: gfx950 and gfx1201 both push `a:{tag}`, and what is in it differs: {way}; name `ARCH` in the tag, or declare in rocm-bake.toml, [tags], that it is noarch or floating"
        )
    };
    assert_eq!(
        found(targets, "", &arguments),
        [collision("1"), collision("latest")]
    );
    let floating = "[tags]\nfloating = { latest = \"moves\" }\n";
    assert_eq!(found(targets, floating, &arguments), [collision("1")]);
    let noarch = "[tags]\nnoarch = { a = \"one for all\" }\nfloating = { latest = \"moves\" }\n";
    assert_eq!(found(targets, noarch, &arguments), [""; 0]);
}

#[test]
fn a_tag_that_ignores_what_reaches_the_image_through_others() {
    let targets = r#"
target "base" {
  tags = ["r/x/base:${A}"]
  args = { A = A }
}
target "app" {
  tags = ["r/x/app:1"]
  args = { IMAGE = "r/x/base:${A}" }
}
target "linked" {
  tags     = ["r/x/linked:1"]
  contexts = { base = "target:base" }
  dockerfile-inline = <<EOT
FROM base AS one
FROM scratch
COPY --from=one / /
EOT
}
group "all" {
  targets = ["base", "app", "linked"]
}
"#;
    let base = "argument A of base (Dockerfile:3, stage 0)";
    let ignores = |target: &str, way: &str| {
        format!(
            "tag-ignores {target}: `A` reaches it, and its tag `1` stays the same: {base} -> {way}; name it in the tag, or declare it in rocm-bake.toml, [tags] ignores"
        )
    };
    assert_eq!(
        found(targets, "", &[]),
        [
            ignores(
                "app",
                "app (FROM base by argument IMAGE, Dockerfile:2, stage 0)"
            ),
            ignores("linked", "linked (FROM base by link base)"),
        ]
    );
    let declared = "[tags]\nignores = [{ target = [\"app\", \"linked\"], variable = \"A\", reason = \"so\" }]\n";
    assert_eq!(found(targets, declared, &[]), [""; 0]);
}

#[test]
fn an_argument_that_no_stage_on_the_way_declares_does_not_count() {
    let folder = project(
        &format!(
            "{VARIABLES}target \"t\" {{\n  tags = [\"r/x/t:1\"]\n  target = \"one\"\n  args = {{ A = A }}\n}}\n"
        ),
        "",
    );
    let dockerfile = "FROM x AS one\nRUN y\nFROM z AS two\nARG A\n";
    fs::write(folder.path().join("Dockerfile"), dockerfile).unwrap();
    assert_eq!(run(folder.path(), &[]).findings(), [""; 0]);
    fs::write(
        folder.path().join("Dockerfile"),
        dockerfile.replace("RUN y", "COPY --from=zero / /"),
    )
    .unwrap();
    assert_eq!(run(folder.path(), &[]).findings(), [""; 0]);
    let used = format!(
        "FROM w AS zero\nARG A\n{}",
        dockerfile.replace("RUN y", "COPY --from=zero / /")
    );
    fs::write(folder.path().join("Dockerfile"), used).unwrap();
    assert_eq!(run(folder.path(), &[]).findings().len(), 1);
}

#[test]
fn a_declaration_that_no_longer_applies() {
    let targets =
        "target \"a\" {\n  tags = [\"r/x/a:${A}-${ARCH}\"]\n  args = { A = A, B = ARCH }\n}\n";
    let config = r#"
[tags]
noarch = { a = "one", gone = "two" }
floating = { edge = "three" }
ignores = [
  { target = "a", variable = "A", reason = "four" },
  { target = "gone", variable = "A", reason = "five" },
  { target = "*", variable = "GONE", reason = "six" },
]
"#;
    assert_eq!(
        found(targets, config, &[]),
        [
            "stale-declaration *: its tag is declared to ignore `GONE`, and there is no such variable; remove the declaration from rocm-bake.toml",
            "stale-declaration *: the tag `edge` is declared floating, and no target publishes it; remove the declaration from rocm-bake.toml",
            "stale-declaration a: it is declared noarch, and either its tag names the architecture or nothing in it depends on that; remove the declaration from rocm-bake.toml",
            "stale-declaration a: its tag is declared to ignore `A`, which does not reach it or is named by the tag; remove the declaration from rocm-bake.toml",
            "stale-declaration gone: `gone` is declared noarch, and there is no such target; remove the declaration from rocm-bake.toml",
            "stale-declaration gone: its tag is declared to ignore `A`, and there is no such target; remove the declaration from rocm-bake.toml",
        ]
    );
}

#[test]
fn a_declaration_gives_a_reason() {
    let targets = "target \"a\" {\n  tags = [\"r/x/a:1\"]\n  args = { A = A }\n}\n";
    let config = "[tags]\nignores = [{ target = \"a\", variable = \"A\", reason = \" \" }]\n";
    assert_eq!(
        found(targets, config, &[]),
        [
            "declaration-reason a: the declaration for `A` gives no reason; say why the tag need not name it"
        ]
    );
}

#[test]
fn what_no_registry_takes_is_blamed_on_its_variable() {
    let tagged = |tag: &str| format!("target \"t\" {{\n  tags = [\"{tag}\"]\n}}\n");
    let cases = [
        (
            tagged("r/x/t:${A}-${ARCH}"),
            "ARCH=gfx950;gfx1201",
            "tag-grammar t: the tag `1-gfx950;gfx1201` has `;`, which no registry takes there; it comes from `ARCH`",
        ),
        (
            tagged("r/x/t:${A}-${ARCH}"),
            "A=2.15.0a0+git31",
            "tag-grammar t: the tag `2.15.0a0+git31-gfx950` has `+`, which no registry takes there; it comes from `A`",
        ),
        (
            tagged("r/x/${A}:1"),
            "A=Big",
            "tag-grammar t: the repository `r/x/Big` is not made of lower-case letters and digits, with `.`, `_`, `__` or `-` between them; it comes from `A`",
        ),
        (
            tagged("${A}/x/t:1"),
            "A=",
            "tag-hole t: `A` is empty and leaves a hole in the repository `/x/t`; give it a value",
        ),
        (
            tagged("r/x/t:${ARCH}-${A}"),
            "A=",
            "tag-hole t: `A` is empty and leaves a hole in the tag `gfx950-`; give it a value",
        ),
        (
            tagged("r/x/t:${A}-${ARCH}"),
            "A=",
            "tag-hole t: `A` is empty and leaves a hole in the tag `-gfx950`; give it a value",
        ),
        (
            tagged("r/x/t:v-${A}-${ARCH}"),
            "A=",
            "tag-hole t: `A` is empty and leaves a hole in the tag `v--gfx950`; give it a value",
        ),
        (
            tagged("r/x/t:${A}"),
            "A=",
            "tag-hole t: `A` is empty and leaves a hole in the tag ``; give it a value",
        ),
        (
            tagged("r/x/t:${A}-g${VCS_REF}"),
            "VCS_REF=main",
            "tag-commit t: `VCS_REF` is `main`, and the tag `1-gmain` cannot be told from a version; give 7 to 40 lower-case hex digits",
        ),
    ];
    for (targets, setting, message) in cases {
        let found = found(&targets, "", &[setting]);
        assert!(
            found.iter().any(|finding| finding == message),
            "{setting}: {found:#?}"
        );
    }
}

#[test]
fn a_tag_that_is_too_long_is_blamed_on_the_longest_variable() {
    let targets = "target \"t\" {\n  tags = [\"r/x/t:${A}-${ARCH}-g${VCS_REF}\", \"r/x/t:${A}-${ARCH}\"]\n}\n";
    let long = "x".repeat(90);
    let commit = "0123456789abcdef0123456789abcdef01234567";
    let settings = [format!("A={long}"), format!("VCS_REF={commit}")];
    let found = found(targets, "", &[&settings[0], &settings[1]]);
    assert_eq!(
        found,
        [
            format!(
                "tag-length t: the tag `{long}-gfx950-g{commit}` has 139 characters, and 128 are the most; it comes from `A`"
            ),
            format!(
                "tag-order t: its first tag is `r/x/t:{long}-gfx950-g{commit}`; put the versioned one first"
            ),
        ]
    );
}

#[test]
fn targets_that_cannot_be_pushed_as_they_are() {
    let targets = r#"
target "helper" {
}
target "base" {
  tags = ["r/x/base:1"]
}
target "app" {
  tags     = ["r/x/app:1"]
  contexts = { base = "target:base" }
}
target "untagged" {
}
target "local" {
  output = ["type=local,dest=out"]
}
target "unversioned" {
  tags = ["r/x/unversioned"]
}
target "stranger" {
  tags = ["other/x/stranger:1"]
  args = { IMAGE = "r/x/base:2" }
}
group "apps" {
  targets = ["app", "untagged", "local"]
}
variable "REGISTRY" {
  default = "r/x"
}
"#;
    assert_eq!(
        found(targets, "", &[]),
        [
            "image-unplanned stranger: argument `IMAGE` names `r/x/base:2`, which no target publishes",
            "linked-not-pushed app: it is linked to `base`, which the group `apps` does not push: a build of it would stand on an image that is not the published one",
            "registry-other stranger: `other/x/stranger:1` is not below the plan's registry, `r/x`",
            "tag-unversioned unversioned: `r/x/unversioned` names no version, so nothing can be pinned to it",
            "untagged untagged: it has no tag, and the group `apps` holds it: pushing the group fails as a whole; give it a tag, an output, or take it out",
        ]
    );
}

#[test]
fn targets_that_are_made_from_one_another_in_a_circle() {
    let targets = r#"
target "a" {
  tags = ["r/x/a:1"]
  args = { IMAGE = "r/x/b:1" }
}
target "b" {
  tags = ["r/x/b:1"]
  args = { IMAGE = "r/x/a:1" }
}
"#;
    assert_eq!(
        found(targets, "", &[]),
        [
            "build-circle a: it is made from itself: a is built FROM b is built FROM a; no order builds it"
        ]
    );
}

#[test]
fn dockerfiles_and_stages_that_are_not_there() {
    let targets = r#"
target "a" {
  tags       = ["r/x/a:1"]
  dockerfile = "docker/Dockerfile.none"
}
target "b" {
  tags   = ["r/x/b:1"]
  target = "none"
}
target "c" {
  tags    = ["r/x/c:1"]
  context = "https://example.org/repository.git"
}
"#;
    assert_eq!(
        found(targets, "", &[]),
        [
            "dockerfile-missing a: docker/Dockerfile.none is not there, so every argument counts as used; run this where bake runs, in the folder that paths start at",
            "stage-missing b: Dockerfile has no stage `none`",
        ]
    );
}

#[test]
fn a_variable_that_takes_no_other_value_is_not_judged() {
    let targets = r#"
table = { gfx950 = "a" }
target "t" {
  tags = ["r/x/t:${table[ARCH]}"]
}
"#;
    assert_eq!(
        found(targets, "", &[]),
        [
            "unjudged *: the file does not evaluate with any other value of `ARCH` (docker-bake.hcl:2:1), so nobody knows which tags ignore it; make it accept one"
        ]
    );
}
