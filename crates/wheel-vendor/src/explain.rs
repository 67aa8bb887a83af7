//! The tree of needs, for a person.

use std::fmt::Write;

use pipe::Wheel;

use crate::graft::Grafts;
use crate::need::{Fate, Needer};
use crate::rpath::dropped;
use crate::start::Start;
use crate::walk::Tree;

/// What one wheel needs, what happens to each need, and why.
pub(crate) fn explain(
    wheel: &Wheel,
    policy: &str,
    starts: &[Start],
    tree: &Tree,
    grafts: &Grafts,
) -> String {
    let mut text = format!("{}\n  for {policy}: ", wheel.filename);
    if grafts.is_empty() {
        text.push_str("nothing to graft, passed on as it is\n");
    } else {
        let count = grafts.libraries.len();
        let libraries = if count == 1 { "library" } else { "libraries" };
        let _ = writeln!(
            text,
            "{count} {libraries} to graft, {} bytes",
            grafts.size()
        );
    }
    let excluded = wheel.platform.iter().flat_map(|one| &one.excluded);
    for one in excluded {
        let fate = Fate::Excluded {
            pattern: one.pattern.clone(),
            reason: one.reason.clone(),
        };
        let _ = writeln!(text, "  {}: {}", one.library, because(&fate, grafts));
    }
    for start in starts {
        let _ = writeln!(text, "  {}", start.member);
        branch(
            &mut text,
            tree,
            grafts,
            &Needer::Member(start.member.clone()),
            2,
            &mut Vec::new(),
        );
        let old = start
            .facts
            .runpath
            .as_deref()
            .or(start.facts.rpath.as_deref());
        if grafts.members.contains_key(&start.member) {
            for entry in dropped(old, &start.member) {
                let _ = writeln!(
                    text,
                    "    search path `{entry}` is dropped: it leads out of site-packages"
                );
            }
        }
    }
    text
}

fn branch(
    text: &mut String,
    tree: &Tree,
    grafts: &Grafts,
    needer: &Needer,
    depth: usize,
    told: &mut Vec<Needer>,
) {
    told.push(needer.clone());
    for need in tree.needs.iter().filter(|need| need.needer == *needer) {
        // Grafted libraries need many granted ones; a person looks for the others.
        if need.fate == Fate::Granted && matches!(needer, Needer::Library(_)) {
            continue;
        }
        let _ = writeln!(
            text,
            "{:indent$}{}: {}",
            "",
            need.library,
            because(&need.fate, grafts),
            indent = depth * 2
        );
        if let Fate::Graft { path } = &need.fate {
            let next = Needer::Library(path.clone());
            if !told.contains(&next) {
                branch(text, tree, grafts, &next, depth + 1, told);
            }
        }
    }
}

fn because(fate: &Fate, grafts: &Grafts) -> String {
    match fate {
        Fate::Granted => "granted by the policy".to_owned(),
        Fate::Excluded { pattern, reason } => match reason {
            Some(reason) => format!("left out by `{pattern}` ({reason})"),
            None => format!("left out by --exclude `{pattern}`"),
        },
        Fate::Rocm { path, prefix } => format!(
            "left out: {} lies below the ROCm prefix {}",
            path.display(),
            prefix.display()
        ),
        Fate::InWheel { member } => format!("the wheel brings it: {member}"),
        Fate::Interpreter => "the interpreter brings it; the need is removed".to_owned(),
        Fate::Graft { path } => {
            let graft = grafts.libraries.iter().find(|graft| graft.path == *path);
            format!(
                "grafted from {} as {}",
                path.display(),
                graft.map_or("", |graft| graft.name.as_str())
            )
        }
        Fate::Missing => "not found".to_owned(),
    }
}
