//! The cards that an architecture's name stands for.

use pipe::Architecture;

const CARDS: &str = include_str!("../data/cards.tsv");

/// The card names behind an architecture, for a person; `None` when no public product is known.
pub(crate) fn cards(arch: &Architecture) -> Option<&'static str> {
    CARDS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
        .find_map(|(target, names)| (target == arch.as_str()).then_some(names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_architecture_has_its_cards() {
        assert_eq!(
            cards(&"gfx950".parse().unwrap()),
            Some("Instinct MI350X and MI355X")
        );
        assert_eq!(cards(&"gfx1250".parse().unwrap()), Some("Instinct MI455X"));
        assert_eq!(cards(&"gfx1251".parse().unwrap()), None);
    }

    #[test]
    fn every_row_is_a_target_and_names_in_order() {
        let rows: Vec<_> = CARDS
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        for row in &rows {
            let (target, names) = row.split_once('\t').unwrap();
            assert!(target.parse::<Architecture>().is_ok(), "{target}");
            assert!(!names.is_empty() && !names.contains('\t'), "{row}");
        }
        let numbers: Vec<_> = rows
            .iter()
            .map(|row| row.split_once('\t').unwrap().0)
            .map(|target| (target.len(), target))
            .collect();
        assert!(numbers.is_sorted(), "{numbers:?}");
    }
}
