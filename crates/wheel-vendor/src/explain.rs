//! The tree of needs, for a person.

use std::collections::BTreeSet;
use std::fmt::Write;

use pipe::{Wheel, one_line};

use crate::graft::Grafts;
use crate::need::{Fate, Needer};
use crate::rpath::dropped;
use crate::start::Start;
use crate::walk::Tree;

/// How far needs are indented, in steps; a person follows no chain beyond it.
const DEEPEST: usize = 30;

/// What one wheel needs, what happens to each need, and why.
pub(crate) fn explain(
    wheel: &Wheel,
    policy: &str,
    starts: &[Start],
    tree: &Tree,
    grafts: &Grafts,
) -> String {
    let mut text = format!("{}\n  for {policy}: ", wheel.filename);
    if grafts.is_empty() && !tree.grafts.is_empty() {
        text.push_str("more than --max-graft allows\n");
    } else if grafts.is_empty() && !tree.missing().is_empty() {
        text.push_str("nothing that is needed was found\n");
    } else if grafts.is_empty() {
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
        let line = format!("{}: {}", one.library, because(&fate, grafts));
        let _ = writeln!(text, "  {}", one_line(&line));
    }
    for start in starts {
        let _ = writeln!(text, "  {}", start.member);
        let root = Needer::Member(start.member.clone());
        branch(&mut text, tree, grafts, &root);
        let old = start
            .facts
            .runpath
            .as_deref()
            .or(start.facts.rpath.as_deref());
        if grafts.members.contains_key(&start.member) {
            for entry in dropped(old, &start.member) {
                let line =
                    format!("search path `{entry}` is dropped: it leads out of site-packages");
                let _ = writeln!(text, "    {}", one_line(&line));
            }
        }
    }
    text
}

/// What a member needs, and below each grafted library what that needs, once.
fn branch(text: &mut String, tree: &Tree, grafts: &Grafts, root: &Needer) {
    let mut told = BTreeSet::from([root.clone()]);
    // Not by recursion: a chain of needs can be longer than the stack.
    let mut open = vec![tree.of(root).iter()];
    while let Some(needs) = open.last_mut() {
        let Some(need) = needs.next() else {
            open.pop();
            continue;
        };
        // Grafted libraries need many granted ones; a person looks for the others.
        if need.fate == Fate::Granted && matches!(need.needer, Needer::Library(_)) {
            continue;
        }
        let line = format!("{}: {}", need.library, because(&need.fate, grafts));
        let indent = (open.len() + 1).min(DEEPEST) * 2;
        let _ = writeln!(text, "{:indent$}{}", "", one_line(&line));
        if let Fate::Graft { path } = &need.fate {
            let next = Needer::Library(path.clone());
            if told.insert(next.clone()) {
                open.push(tree.of(&next).iter());
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
        Fate::Graft { path } => match grafts.names.get(path) {
            Some(name) => format!("grafted from {} as {name}", path.display()),
            None => format!("to be grafted from {}", path.display()),
        },
        Fate::Missing { unfit } if unfit.is_empty() => "not found".to_owned(),
        Fate::Missing { unfit } => format!("not found; {}", unfit.join(", ")),
    }
}
