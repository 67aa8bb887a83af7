//! The pins for a person.

use crate::member::Member;
use crate::metapackage::Metapackage;

/// A table of the pins and what makes each safe, and the metapackage below it.
pub(crate) fn explain(members: &[Member], metapackage: &Metapackage) -> String {
    let rows: Vec<Vec<String>> = members
        .iter()
        .map(|member| {
            vec![
                member.name.to_string(),
                member.version.to_string(),
                if member.version.is_local() {
                    "only here"
                } else {
                    "anyone who publishes it"
                }
                .to_owned(),
                member.python(),
            ]
        })
        .collect();
    format!(
        "{}\n{} {}, Requires-Python {}\n{}\n",
        pipe::table(
            &["distribution", "version", "satisfied by", "python"],
            &rows
        ),
        metapackage.name,
        metapackage.version,
        metapackage.requires_python,
        metapackage.install_hint(),
    )
}
