//! Arguments, exit codes and messages.

use std::fs;

use super::{project, root, run, run_with};

const GOOD: &str = "variable \"A\" {\n  default = \"1\"\n}\ntarget \"t\" {\n  tags = [\"r/t:${A}\"]\n  args = { A = A }\n}\n";

#[test]
fn a_plan_without_a_fault_is_exit_0_and_says_nothing_else() {
    let folder = project(GOOD, "");
    let ran = run(folder.path(), &[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let plan = ran.plan();
    assert_eq!(plan.registry, "r");
    assert_eq!(plan.targets[0].repository, "t");
    assert_eq!(plan.targets[0].architecture, None);
}

#[test]
fn a_finding_is_exit_1_with_the_document_and_a_line_for_each() {
    let folder = project(&GOOD.replace("${A}", "x"), "");
    let ran = run(folder.path(), &[]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.plan().findings.len(), 1);
    assert_eq!(
        ran.stderr,
        "tag-planner: docker-bake.hcl: t: `A` reaches it, and its tag `x` stays the same: argument A of t (Dockerfile:3, stage 0); name it in the tag, or declare it in rocm-bake.toml, [tags] ignores (tag-ignores)\n"
    );
    assert_eq!(run(folder.path(), &["--quiet"]).stderr, "");
}

#[test]
fn what_cannot_be_planned_is_exit_2_with_one_line_and_no_document() {
    let folder = project(GOOD, "");
    let path = folder.path();
    fs::write(path.join("broken.hcl"), "target \"t\" {\n  tags = [\n").unwrap();
    fs::write(path.join("odd.hcl"), "target \"t\" {\n  tags = [nope]\n}\n").unwrap();
    fs::write(path.join("empty.hcl"), "target \"t\" {\n}\n").unwrap();
    fs::write(path.join("odd.toml"), "[tags]\nnoarhc = {}\n").unwrap();
    fs::write(path.join("Dockerfile.bad"), "FROM a\nFETCH b\n").unwrap();
    let bad = GOOD.replace("tags =", "dockerfile = \"Dockerfile.bad\"\n  tags =");
    fs::write(path.join("bad.hcl"), bad).unwrap();
    let cases: [(&[&str], &str); 11] = [
        (
            &["-f", "none.hcl"],
            "none.hcl: No such file or directory (os error 2); check the path",
        ),
        (&["-f", "broken.hcl"], "broken.hcl:2:11: expected `]`"),
        (
            &["-f", "odd.hcl"],
            "odd.hcl:2:11: there is no variable `nope`; only a `variable` block makes one, also for the environment",
        ),
        (
            &["-f", "empty.hcl"],
            "empty.hcl: no target publishes anything; give one `tags`",
        ),
        (
            &["-f", "bad.hcl"],
            "Dockerfile.bad:2:1: unknown instruction 'FETCH'",
        ),
        (
            &["--config", "odd.toml"],
            "odd.toml: line 2: unknown field `noarhc`, expected one of `noarch`, `floating`, `ignores`",
        ),
        (
            &["--config", "none.toml"],
            "none.toml: No such file or directory (os error 2); check the path",
        ),
        (
            &["--group", "nope"],
            "docker-bake.hcl: there is no target or group `nope`",
        ),
        (
            &["--arch", "gfx950"],
            "docker-bake.hcl: there is no variable `ARCH`, so there is nothing to plan architectures with",
        ),
        (
            &["B=1"],
            "docker-bake.hcl: there is no variable `B`; it has A",
        ),
        (
            &["-f", "."],
            ".: Is a directory (os error 21); name a file and not a folder",
        ),
    ];
    for (arguments, message) in cases {
        let ran = run(path, arguments);
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert_eq!(
            ran.stderr,
            format!("tag-planner: {message}\n"),
            "{arguments:?}"
        );
        assert_eq!(ran.stdout, "", "{arguments:?}");
    }
}

#[test]
fn an_architecture_is_given_once() {
    let ran = run(&root(), &["--arch", "gfx950", "ARCH=gfx1201"]);
    assert_eq!(ran.code, 2);
    assert_eq!(
        ran.stderr,
        "tag-planner: ARCH is given by --arch and by ARCH=; give one of them\n"
    );
    assert_eq!(run(&root(), &["--arch", "mi350"]).code, 2);
    assert_eq!(run(&root(), &["PYTORCH_VERSION"]).code, 2);
}

#[test]
fn the_command_line_wins_over_the_environment_and_an_empty_value_counts() {
    let folder = project(GOOD, "");
    let tag = |arguments: &[&str], environment: &[(&str, &str)]| {
        run_with(folder.path(), arguments, environment)
            .plan()
            .targets[0]
            .tags[0]
            .tag
            .clone()
    };
    assert_eq!(tag(&[], &[("A", "2")]), "2");
    assert_eq!(tag(&["A=3"], &[("A", "2")]), "3");
    assert_eq!(tag(&["A="], &[("A", "2")]), "");
}

#[test]
fn several_files_are_merged_in_order() {
    let folder = project(GOOD, "");
    let over =
        "variable \"A\" {\n  default = \"2\"\n}\ntarget \"u\" {\n  tags = [\"r/u:${A}\"]\n}\n";
    fs::write(folder.path().join("over.hcl"), over).unwrap();
    let plan = run(folder.path(), &["-f", "docker-bake.hcl", "-f", "over.hcl"]).plan();
    let tags: Vec<&str> = plan
        .targets
        .iter()
        .map(|target| target.tags[0].reference.as_str())
        .collect();
    assert_eq!(tags, ["r/t:2", "r/u:2"]);
}

#[test]
fn a_group_plans_its_members_only() {
    let ran = run(&root(), &["--group", "serving"]);
    assert_eq!(ran.code, 0);
    assert_eq!(ran.plan().targets.len(), 7);
    assert_eq!(run(&root(), &["--group", "vllm"]).plan().targets.len(), 1);
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let once = run(&root(), &["--arch", "gfx950,gfx1201", "VCS_REF=abc1234"]);
    let again = run(&root(), &["--arch", "gfx950,gfx1201", "VCS_REF=abc1234"]);
    assert_eq!(once.stdout, again.stdout);
}

#[test]
fn help_stands_alone() {
    let help = run(&root(), &["--help"]).stdout;
    for part in ["EXAMPLE", "EXIT", "VAR=VALUE", "--arch", "rocm-bake.toml"] {
        assert!(help.contains(part), "{part}");
    }
}

#[test]
fn the_documentation_shows_the_plan() {
    let page = fs::read_to_string(root().join("docs/build-targets-and-tags.md")).unwrap();
    let generated = run(&root(), &["--format", "markdown"]);
    assert_eq!(generated.code, 0);
    let shown = bake::between_markers(&page).unwrap();
    assert_eq!(
        shown.trim(),
        generated.stdout.trim(),
        "put the output of `tag-planner --format markdown` between the markers"
    );
}

#[test]
fn explain_is_the_table() {
    let table = run(&root(), &["--format", "table"]).stdout;
    assert_eq!(run(&root(), &["--explain"]).stdout, table);
    assert!(table.starts_with("registry  "));
}
