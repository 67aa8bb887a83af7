//! A list in a document from outside, which no document can make long.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

/// A list of at most `MOST` items; reading a longer one fails at the first item too many.
///
/// A manifest of 4 MiB has room for a million empty items, which would take many times its size in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Few<T, const MOST: usize>(pub(crate) Vec<T>);

impl<T, const MOST: usize> Default for Few<T, MOST> {
    fn default() -> Self {
        Self(vec![])
    }
}

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for Few<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(FewVisitor(PhantomData))
    }
}

struct FewVisitor<T, const MOST: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for FewVisitor<T, MOST> {
    type Value = Few<T, MOST>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut found = vec![];
        while let Some(item) = items.next_element()? {
            if found.len() == MOST {
                return Err(A::Error::custom(format!(
                    "a list of more than {MOST} items"
                )));
            }
            found.push(item);
        }
        Ok(Few(found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_is_too_long_is_refused_where_it_is_too_long() {
        let read = |text: &str| {
            let few: Result<Few<u8, 2>, _> = serde_json::from_str(text);
            few.map(|few| few.0).map_err(|error| error.to_string())
        };
        assert_eq!(read("[]"), Ok(vec![]));
        assert_eq!(read("[1, 2]"), Ok(vec![1, 2]));
        assert_eq!(
            read("[1, 2, 3, and no more"),
            Err("a list of more than 2 items at line 1 column 10".to_owned())
        );
        assert_eq!(
            read("{}"),
            Err("invalid type: map, expected a list at line 1 column 0".to_owned())
        );
    }
}
