//! A plan for people: a table for the terminal, tables in Markdown for the documentation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use pipe::{TagClass, TagPlan, Target};

use crate::definitions::Definitions;
use crate::outside::Outside;
use crate::value::Value;

/// The line before the generated tables of a page.
pub const MARKDOWN_BEGIN: &str = "<!-- tag-planner: begin -->";

/// The line behind them.
pub const MARKDOWN_END: &str = "<!-- tag-planner: end -->";

/// What stands between the two markers of a page, without the lines of the markers themselves.
#[must_use]
pub fn between_markers(page: &str) -> Option<&str> {
    let start = page.find(MARKDOWN_BEGIN)? + MARKDOWN_BEGIN.len();
    let rest = &page[start..];
    let inner = &rest[..rest.find(MARKDOWN_END)?];
    Some(inner.strip_prefix('\n').unwrap_or(inner))
}

/// The plan as a table, with its groups and findings below.
#[must_use]
pub fn table(plan: &TagPlan) -> String {
    let head = [
        "step",
        "target",
        "architecture",
        "image",
        "also",
        "built FROM",
    ];
    let short = |image: &str| below(plan, image).to_owned();
    let rows: Vec<Vec<String>> = plan
        .targets
        .iter()
        .map(|target| {
            let from = target.from.iter().map(|image| short(image));
            vec![
                target.step.to_string(),
                target.name.clone(),
                target
                    .architecture
                    .clone()
                    .unwrap_or_else(|| "any".to_owned()),
                versioned(target)
                    .map_or_else(String::new, |tag| format!("{}:{tag}", target.repository)),
                others(target).join(" "),
                from.collect::<Vec<_>>().join(" "),
            ]
        })
        .collect();
    let mut text = format!(
        "registry  {}\n\n{}",
        plan.registry,
        pipe::table(&head, &rows)
    );
    text.push('\n');
    for (group, members) in &plan.groups {
        let needs = plan
            .needs_published
            .get(group)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let needs: Vec<String> = needs.iter().map(|image| short(image)).collect();
        let told = if needs.is_empty() {
            "can be built against an empty registry, step by step".to_owned()
        } else {
            format!(
                "cannot be built against an empty registry, needs {}",
                needs.join(" ")
            )
        };
        // Writing to a string cannot fail.
        _ = writeln!(text, "group {group}: {} targets; {told}", members.len());
    }
    if !plan.findings.is_empty() {
        text.push('\n');
    }
    for finding in &plan.findings {
        _ = writeln!(
            text,
            "{} {}: {}",
            finding.rule, finding.target, finding.message
        );
    }
    text
}

/// The plan as tables in Markdown: targets, groups, the order to build in.
#[must_use]
pub fn markdown(definitions: &Definitions, plan: &TagPlan) -> String {
    let recipes = recipes(definitions);
    let mut text = String::new();
    let head = [
        "Target",
        "Repository",
        "Versioned tag",
        "Resolves to",
        "Also",
    ];
    let mut targets: Vec<&Target> = plan.targets.iter().collect();
    // A reader looks for a name; the order to build in has its own table.
    targets.sort_by_key(|target| &target.name);
    let rows = targets.into_iter().map(|target| {
        vec![
            code(&target.name),
            code(&target.repository),
            recipes
                .get(&target.name)
                .map_or_else(String::new, |recipe| code(recipe)),
            versioned(target).map_or_else(String::new, |tag| {
                code(&format!("{}:{tag}", target.repository))
            }),
            list(others(target)),
        ]
    });
    markdown_table(&mut text, &head, rows.collect());

    let rows = plan.groups.iter().map(|(group, members)| {
        let needs = plan
            .needs_published
            .get(group)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let needs = match needs {
            [] => "nothing".to_owned(),
            images => list(images.iter().map(|image| below(plan, image))),
        };
        vec![code(group), list(members), needs]
    });
    text.push('\n');
    markdown_table(
        &mut text,
        &["Group", "Targets", "Must be published before"],
        rows.collect(),
    );

    let mut steps: BTreeMap<u64, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    for target in &plan.targets {
        let from = steps
            .entry(target.step)
            .or_default()
            .entry(&target.name)
            .or_default();
        from.extend(
            target
                .from
                .iter()
                .map(|image| repository(below(plan, image))),
        );
    }
    let rows = steps.iter().flat_map(|(step, targets)| {
        targets
            .iter()
            .map(|(name, from)| vec![step.to_string(), code(name), list(from)])
    });
    text.push('\n');
    markdown_table(&mut text, &["Step", "Target", "Built FROM"], rows.collect());
    text
}

fn markdown_table(text: &mut String, head: &[&str], rows: Vec<Vec<String>>) {
    let rule: Vec<String> = head.iter().map(|_| "---".to_owned()).collect();
    let head = head.iter().map(|cell| (*cell).to_owned()).collect();
    for row in [head, rule].into_iter().chain(rows) {
        _ = writeln!(text, "| {} |", row.join(" | "));
    }
}

fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

fn list(texts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let cells: Vec<String> = texts.into_iter().map(|text| code(text.as_ref())).collect();
    cells.join(", ")
}

/// A reference without the registry of the plan.
fn below<'a>(plan: &TagPlan, image: &'a str) -> &'a str {
    let rest = image
        .strip_prefix(plan.registry.as_str())
        .and_then(|rest| rest.strip_prefix('/'));
    rest.unwrap_or(image)
}

/// A short reference without its tag.
fn repository(image: &str) -> &str {
    let name = image.rfind('/').map_or(0, |slash| slash + 1);
    match image[name..].find(':') {
        Some(colon) if !image.starts_with("target:") && !image.starts_with("stage:") => {
            &image[..name + colon]
        }
        _ => image,
    }
}

fn versioned(target: &Target) -> Option<&str> {
    let mut tags = target.tags.iter();
    tags.find(|tag| tag.class == TagClass::Versioned)
        .map(|tag| tag.tag.as_str())
}

fn others(target: &Target) -> Vec<&str> {
    let first = versioned(target);
    let tags = target.tags.iter().map(|tag| tag.tag.as_str());
    tags.filter(|tag| Some(*tag) != first).collect()
}

/// The versioned tag of each target as it is written: evaluated with every variable standing for its
/// own name. Empty where the file does not evaluate so.
fn recipes(definitions: &Definitions) -> BTreeMap<String, String> {
    let mut outside = Outside::nothing();
    if let Ok(bake) = definitions.evaluate(&outside) {
        for (name, value) in &bake.variables {
            if matches!(value, Value::Text(text) if !text.is_empty()) {
                outside = outside.with(name, format!("${{{name}}}"));
            }
        }
    }
    let Ok(bake) = definitions.evaluate(&outside) else {
        return BTreeMap::new();
    };
    bake.targets
        .iter()
        .filter_map(|target| {
            let first = *target.tags().first()?;
            // The colon of the tag, and not one inside `${REGISTRY}` or of its port.
            let name = first.rfind('/').map_or(0, |slash| slash + 1);
            let colon = name + first[name..].find(':')?;
            Some((target.name.clone(), first[colon + 1..].to_owned()))
        })
        .collect()
}
