//! The tables of targets and tags on the pages are those that `tag-planner --format markdown` prints.

use bake::{MARKDOWN_BEGIN, between_markers};

use crate::repository::{Report, Repository};

const RULE: &str = "page-table";

pub(crate) fn check(repository: &Repository, report: &mut Report) {
    for (path, text) in &repository.pages {
        report.count(RULE);
        let begin = (1..)
            .zip(text.lines())
            .find(|(_, line)| line.contains(MARKDOWN_BEGIN));
        let first = begin.map_or(1, |(number, _)| number + 1);
        let other = repository.in_bake(1);
        let Some(inner) = between_markers(text) else {
            let at = repository.in_file(path, first - 1);
            let message = "the tables begin here, and no marker says where they end".to_owned();
            let fix = format!("put {} behind them", bake::MARKDOWN_END);
            report.finding(RULE, &at, Some(&other), message, fix);
            continue;
        };
        if let Some((offset, message)) = difference(inner, &repository.tables) {
            let at = repository.in_file(path, first + offset);
            let fix = "run `make page-tables`".to_owned();
            report.finding(RULE, &at, Some(&other), message, fix);
        }
    }
}

/// The first line of `page` that is not the one of `tables`, from 0, and what is wrong with it.
fn difference(page: &str, tables: &str) -> Option<(u64, String)> {
    let (mut page, mut tables) = (page.trim_end().lines(), tables.trim_end().lines());
    for offset in 0.. {
        let message = match (page.next(), tables.next()) {
            (None, None) => return None,
            (Some(written), Some(planned)) if written == planned => continue,
            (Some(written), Some(planned)) => {
                format!("the page says `{written}`, and the plan `{planned}`")
            }
            (Some(written), None) => format!("the page says `{written}`, and the plan nothing"),
            (None, Some(planned)) => format!("the page ends, and the plan goes on: `{planned}`"),
        };
        return Some((offset, message));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_told() {
        assert_eq!(difference("a\nb\n", "a\nb"), None);
        let cases = [
            (
                "a\nx\nc\n",
                "a\nb\nc\n",
                1,
                "the page says `x`, and the plan `b`",
            ),
            (
                "a\n",
                "a\nb\n",
                1,
                "the page ends, and the plan goes on: `b`",
            ),
            (
                "a\nb\n",
                "a\n",
                1,
                "the page says `b`, and the plan nothing",
            ),
            ("", "a\n", 0, "the page ends, and the plan goes on: `a`"),
        ];
        for (page, tables, offset, message) in cases {
            assert_eq!(
                difference(page, tables),
                Some((offset, message.to_owned())),
                "{page:?}"
            );
        }
    }
}
