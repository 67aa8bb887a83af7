//! The file with one variable changed at a time.

use pipe::PlanFinding;

use super::{ARCH, Point, finding};
use crate::bake::Bake;
use crate::definitions::Definitions;
use crate::outside::Outside;
use crate::value::Value;

/// The file with one variable changed.
pub(crate) struct Variation {
    pub(crate) variable: String,
    pub(crate) bake: Bake,
}

/// Changes every variable that can be set from outside, to the first value that evaluates.
pub(crate) fn all(definitions: &Definitions, outside: &Outside, point: &Point) -> Vec<Variation> {
    let outside = match (&point.architecture, definitions.has_variable(ARCH)) {
        (Some(architecture), true) => outside.clone().with(ARCH, architecture),
        _ => outside.clone(),
    };
    let mut variations = Vec::new();
    for (variable, value) in &point.bake.variables {
        for candidate in candidates(variable, value) {
            let changed = outside.clone().with(variable, &candidate);
            if let Ok(bake) = definitions.evaluate(&changed) {
                variations.push(Variation {
                    variable: variable.clone(),
                    bake,
                });
                break;
            }
        }
    }
    variations
}

/// Other values than the one a variable has, the likeliest to evaluate first.
fn candidates(variable: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Text(text) if variable == ARCH => ["gfx950", "gfx1201"]
            .into_iter()
            .filter(|other| other != text)
            .map(str::to_owned)
            .collect(),
        Value::Text(text) if text == "true" => vec!["false".to_owned()],
        Value::Text(text) if text == "false" => vec!["true".to_owned()],
        // Hex digits, as of a commit.
        Value::Text(text) if text.is_empty() => vec!["0000000".to_owned(), "1".to_owned()],
        Value::Text(text) => {
            let last = text.chars().last().filter(char::is_ascii_digit);
            let other = if last == Some('0') { '1' } else { '0' };
            let mut candidates = vec![
                format!("{text}{other}"),
                "0000000".to_owned(),
                "1".to_owned(),
            ];
            candidates.retain(|candidate| candidate != text);
            candidates
        }
        Value::Bool(truth) => vec![(!truth).to_string()],
        Value::Number(number) => number
            .plus(crate::decimal::Decimal::from(1))
            .map(|next| next.to_string())
            .into_iter()
            .collect(),
        Value::Null => vec!["0000000".to_owned(), "1".to_owned()],
        // These cannot be set from outside.
        Value::List(_) | Value::Object(_) => Vec::new(),
    }
}

/// Variables with which the file did not evaluate under any other value.
pub(crate) fn unjudged(
    definitions: &Definitions,
    variations: &[Variation],
    point: &Point,
) -> Vec<PlanFinding> {
    definitions
        .variables()
        .filter(|(name, _)| {
            let value = point.bake.variables.get(*name);
            let settable = value.is_some_and(|value| !candidates(name, value).is_empty());
            settable && !variations.iter().any(|variation| variation.variable == *name)
        })
        .map(|(name, location)| {
            let message = format!(
                "the file does not evaluate with any other value of `{name}` ({location}), so nobody knows which tags ignore it; make it accept one"
            );
            finding("unjudged", "*", message, [("variable", name.to_owned())])
        })
        .collect()
}
