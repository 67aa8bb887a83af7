//! Text that is no bake file and no Dockerfile is refused, and never a panic or a hang.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use bake::{Definitions, Dockerfile, Outside, Source};
use proptest::prelude::*;

const BAKE: &str = include_str!("../../../docker-bake.hcl");
const TEMPLATES: &str = include_str!("../../../tests/buildx/cases/templates.hcl");
const JSON: &str = include_str!("../../../tests/buildx/cases/file.json");
const DOCKERFILE: &str = include_str!("../../../docker/Dockerfile.pytorch");

/// A text with a few pieces cut out, doubled, or replaced.
fn damaged(text: &'static str) -> impl Strategy<Value = String> {
    let edit = (
        any::<prop::sample::Index>(),
        0_usize..40,
        0_usize..3,
        "[\\PC\n]{0,6}",
    );
    prop::collection::vec(edit, 1..6).prop_map(move |edits| {
        let mut chars: Vec<char> = text.chars().collect();
        for (at, length, kind, other) in edits {
            let start = at.index(chars.len().max(1)).min(chars.len());
            let end = (start + length).min(chars.len());
            let piece: Vec<char> = chars[start..end].to_vec();
            let new: Vec<char> = match kind {
                0 => Vec::new(),
                1 => piece.iter().chain(&piece).copied().collect(),
                _ => other.chars().collect(),
            };
            chars.splice(start..end, new);
        }
        chars.into_iter().collect()
    })
}

fn evaluate(name: &str, text: &str) {
    if let Ok(definitions) = Definitions::parse(&[Source::new(name, text)])
        && let Ok(bake) = definitions.evaluate(&Outside::nothing())
    {
        for target in &bake.targets {
            _ = target.printed().to_json();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_damaged_bake_file_does_not_panic(text in damaged(BAKE)) {
        evaluate("docker-bake.hcl", &text);
    }

    #[test]
    fn damaged_templates_do_not_panic(text in damaged(TEMPLATES)) {
        evaluate("docker-bake.hcl", &text);
    }

    #[test]
    fn a_damaged_json_file_does_not_panic(text in damaged(JSON)) {
        evaluate("docker-bake.json", &text);
    }

    #[test]
    fn a_damaged_dockerfile_does_not_panic(text in damaged(DOCKERFILE)) {
        if let Ok(file) = Dockerfile::parse("Dockerfile", &text) {
            for position in 0..file.stages.len() {
                let reach = file.reach(position, &BTreeMap::new(), &BTreeSet::new());
                _ = file.route(position, &reach, "PYTORCH_REF");
            }
        }
    }

    #[test]
    fn any_text_does_not_panic(text in "\\PC{0,60}") {
        evaluate("a.hcl", &text);
        evaluate("a.json", &text);
        _ = Dockerfile::parse("Dockerfile", &text);
    }
}

#[test]
fn a_file_that_grows_without_measure_is_refused() {
    let mut doubling = String::from("a0 = \"0123456789\"\n");
    for level in 1..60 {
        _ = writeln!(doubling, "a{level} = \"${{a{0}}}${{a{0}}}\"", level - 1);
    }
    let lists = doubling
        .replace("\"${", "[")
        .replace("}${", ", ")
        .replace("}\"", "]");
    let loops =
        "a = [for x in range(1000) : [for y in range(1000) : [for z in range(1000) : z]]]\n";
    for text in [doubling.as_str(), lists.as_str(), loops] {
        let definitions = Definitions::parse(&[Source::new("a.hcl", text)]).unwrap();
        let error = definitions.evaluate(&Outside::nothing()).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("a file that expands to more than 64 MiB is not supported here"),
            "{error}"
        );
    }
}

#[test]
fn a_file_that_is_deep_is_refused() {
    let mut chain = String::from("a0 = \"x\"\n");
    for level in 1..3000 {
        _ = writeln!(chain, "a{level} = a{}", level - 1);
    }
    // The constants are resolved by name, so a deep one comes first.
    let chain = chain.replace("a2999", "_first");
    let nested = format!("a = {}1{}\n", "[".repeat(5000), "]".repeat(5000));
    let json = format!("{{\"a\": {}1{}}}", "[".repeat(5000), "]".repeat(5000));
    for (name, text) in [("a.hcl", chain), ("a.hcl", nested), ("a.json", json)] {
        let outcome = Definitions::parse(&[Source::new(name, text)])
            .and_then(|definitions| definitions.evaluate(&Outside::nothing()));
        assert!(outcome.is_err(), "{name}");
    }
    let mut parents = String::from("target \"t0\" {\n}\n");
    for level in 1..3000 {
        _ = writeln!(
            parents,
            "target \"t{level}\" {{\n inherits = [\"t{}\"]\n}}",
            level - 1
        );
    }
    let definitions = Definitions::parse(&[Source::new("a.hcl", parents.as_str())]).unwrap();
    assert!(definitions.evaluate(&Outside::nothing()).is_ok());
    let mut backwards: Vec<&str> = parents.split_inclusive("}\n").collect();
    backwards.reverse();
    let definitions = Definitions::parse(&[Source::new("a.hcl", backwards.concat())]).unwrap();
    let error = definitions.evaluate(&Outside::nothing()).unwrap_err();
    let cause = "a chain of more than 100 parents is not supported here";
    assert!(error.to_string().ends_with(cause), "{error}");
}
