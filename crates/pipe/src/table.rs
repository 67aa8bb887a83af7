//! Tables that line up, for `--explain`.

use comfy_table::{Cell, CellAlignment, Table};

/// Lays out rows in columns under `head`, two blanks between columns, no lines, no trailing blanks.
///
/// A column whose every cell starts with a digit is aligned to the right. Cells are not wrapped: a
/// pager or a pipe cuts better than we do.
#[must_use]
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table
        .load_style(comfy_table::presets::NOTHING)
        .set_content_arrangement(comfy_table::ContentArrangement::Disabled);
    let numeric: Vec<bool> = (0..head.len())
        .map(|column| is_numeric(rows, column))
        .collect();
    let cell = |column: usize, text: &str| {
        let cell = Cell::new(text);
        if numeric.get(column).copied().unwrap_or(false) {
            cell.set_alignment(CellAlignment::Right)
        } else {
            cell
        }
    };
    table.set_header(head.iter().enumerate().map(|(i, text)| cell(i, text)));
    for row in rows {
        table.add_row(row.iter().enumerate().map(|(i, text)| cell(i, text)));
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    let mut text = String::new();
    for line in table.lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn is_numeric(rows: &[Vec<String>], column: usize) -> bool {
    !rows.is_empty()
        && rows.iter().all(|row| {
            row.get(column).is_some_and(|text| {
                text.starts_with(|c: char| c.is_ascii_digit()) && !text.contains('.')
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_numbers_stand_right() {
        let rows = vec![
            vec!["torch".to_owned(), "5".to_owned(), "2.15.0".to_owned()],
            vec!["amd-aiter".to_owned(), "1234".to_owned(), "0.1".to_owned()],
        ];
        assert_eq!(
            table(&["name", "size", "version"], &rows),
            "name       size  version\n\
             torch         5  2.15.0\n\
             amd-aiter  1234  0.1\n"
        );
    }
}
