//! The indent that `<<-` takes away: the least of all lines, by the rule of HCL's own parser.
//!
//! A line of nothing but blanks does not count and is left as it is. A line that begins with an
//! interpolation or a directive counts as one without indent.

use crate::syntax::Part;

/// Takes the common indent off the lines of a heredoc; its literals are one piece per line.
pub(super) fn take_away(parts: &mut [Part]) {
    let mut least = None;
    let mut starts = true;
    walk(parts, &mut starts, &mut |line| {
        let indent = line.map_or(0, |text| {
            text.chars().take_while(|c| c.is_whitespace()).count()
        });
        least = Some(least.map_or(indent, |known: usize| known.min(indent)));
    });
    let least = least.unwrap_or(0);
    let mut starts = true;
    walk(parts, &mut starts, &mut |line| {
        if let Some(text) = line {
            *text = text.chars().skip(least).collect();
        }
    });
}

/// Calls `visit` for what begins each line: its text, or `None` for something that is no text.
fn walk(parts: &mut [Part], starts: &mut bool, visit: &mut dyn FnMut(Option<&mut String>)) {
    for part in parts {
        match part {
            Part::Text(text) => {
                let ends = text.ends_with('\n');
                let is_blank = ends && text.trim().is_empty();
                if *starts && !is_blank {
                    visit(Some(text));
                }
                *starts = ends;
            }
            Part::Value(_) => mark(starts, visit),
            Part::If {
                then, otherwise, ..
            } => {
                mark(starts, visit);
                walk(then, starts, visit);
                if !otherwise.is_empty() {
                    mark(starts, visit);
                    walk(otherwise, starts, visit);
                }
                mark(starts, visit);
            }
            Part::For { body, .. } => {
                mark(starts, visit);
                walk(body, starts, visit);
                mark(starts, visit);
            }
        }
    }
}

/// An interpolation, or the head or the end of a directive.
fn mark(starts: &mut bool, visit: &mut dyn FnMut(Option<&mut String>)) {
    if *starts {
        visit(None);
    }
    *starts = false;
}
