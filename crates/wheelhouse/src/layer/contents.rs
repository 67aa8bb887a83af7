//! What one layer says about `/wheels`, and what several say together.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// One layer: what it takes away from the layers below, and what it adds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    /// Whiteouts. They concern lower layers only, wherever they stand in the archive.
    pub(crate) removals: Vec<Removal>,
    /// Wheels by file name.
    pub(crate) wheels: BTreeMap<String, StagedWheel>,
}

/// What a whiteout removes (layer.md of the image specification, "Whiteouts").
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Removal {
    /// `.wh.NAME`
    One(String),
    /// `.wh..wh..opq`, or the whole folder.
    All,
}

/// The facts of a wheel's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WheelEntry {
    /// Bytes.
    pub(crate) size: u64,
    /// 64 hex digits.
    pub(crate) sha256: String,
}

/// A wheel of a layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StagedWheel {
    /// Its facts.
    pub(crate) entry: WheelEntry,
    /// Where its bytes wait for their name; none when only the facts are known, from an earlier run.
    pub(crate) staged: Option<PathBuf>,
}

impl Contents {
    /// The wheels that are left when layers lie on one another, lowest first, each with the number of its layer.
    pub(crate) fn overlay(layers: &[Self]) -> BTreeMap<String, (usize, StagedWheel)> {
        let mut left = BTreeMap::new();
        for (number, layer) in layers.iter().enumerate() {
            for removal in &layer.removals {
                match removal {
                    Removal::One(name) => drop(left.remove(name)),
                    Removal::All => left.clear(),
                }
            }
            for (name, wheel) in &layer.wheels {
                left.insert(name.clone(), (number, wheel.clone()));
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(removals: &[Removal], wheels: &[&str]) -> Contents {
        let wheel = StagedWheel {
            entry: WheelEntry {
                size: 1,
                sha256: String::new(),
            },
            staged: None,
        };
        Contents {
            removals: removals.to_vec(),
            wheels: wheels
                .iter()
                .map(|name| ((*name).to_owned(), wheel.clone()))
                .collect(),
        }
    }

    #[test]
    fn a_whiteout_removes_what_lies_below_and_not_beside() {
        let one = |name: &str| Removal::One(name.to_owned());
        let cases = [
            (
                vec![layer(&[], &["a", "b"]), layer(&[one("a")], &["c"])],
                vec![("b", 0), ("c", 1)],
            ),
            (
                vec![layer(&[], &["a", "b"]), layer(&[Removal::All], &["c"])],
                vec![("c", 1)],
            ),
            (
                vec![layer(&[], &["a"]), layer(&[one("a")], &["a"])],
                vec![("a", 1)],
            ),
            (vec![layer(&[], &["a"]), layer(&[], &["a"])], vec![("a", 1)]),
            (
                vec![layer(&[one("a")], &[]), layer(&[], &["a"])],
                vec![("a", 1)],
            ),
        ];
        for (layers, expected) in cases {
            let left = Contents::overlay(&layers);
            let left: Vec<_> = left
                .iter()
                .map(|(name, (layer, _))| (name.as_str(), *layer))
                .collect();
            assert_eq!(left, expected);
        }
    }
}
