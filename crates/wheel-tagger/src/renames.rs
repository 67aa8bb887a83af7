//! The directories that carry the version in their name: `.dist-info`, and `.data` beside it.

/// Old and new directory names, at the top of the wheel only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Renames {
    pairs: Vec<(String, String)>,
}

impl Renames {
    /// Renames `demo-1.0.dist-info` and `demo-1.0.data`: the name part keeps its spelling, what
    /// follows its last `-` becomes `version`. A `.data` directory that is not renamed with it makes
    /// uv leave the scripts where nobody finds them.
    pub(crate) fn new(dist_info: &str, version: &str) -> Self {
        let stem = dist_info.strip_suffix(".dist-info").unwrap_or(dist_info);
        let name = stem.rsplit_once('-').map_or(stem, |(name, _)| name);
        let new = format!("{name}-{version}");
        Self {
            pairs: vec![
                (format!("{stem}.dist-info/"), format!("{new}.dist-info/")),
                (format!("{stem}.data/"), format!("{new}.data/")),
            ],
        }
    }

    /// Renames nothing.
    pub(crate) fn none() -> Self {
        Self { pairs: Vec::new() }
    }

    /// The new name of a member, when it has one.
    pub(crate) fn apply(&self, member: &str) -> Option<String> {
        self.pairs.iter().find_map(|(old, new)| {
            let rest = member.strip_prefix(old.as_str())?;
            (old != new).then(|| format!("{new}{rest}"))
        })
    }

    /// A member that already has one of the new names: two would become one.
    pub(crate) fn collision<'a>(
        &self,
        mut members: impl Iterator<Item = &'a str>,
    ) -> Option<&'a str> {
        members.find(|member| {
            self.pairs
                .iter()
                .any(|(old, new)| old != new && member.starts_with(new.as_str()))
        })
    }

    /// The name that a member has from now on.
    pub(crate) fn name_of(&self, member: &str) -> String {
        self.apply(member).unwrap_or_else(|| member.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_two_directories_at_the_top_are_renamed() {
        let renames = Renames::new("Demo.Mixed-1.0.dist-info", "1.0+rocm10.1.0");
        for (old, new) in [
            (
                "Demo.Mixed-1.0.dist-info/sboms/a.json",
                Some("Demo.Mixed-1.0+rocm10.1.0.dist-info/sboms/a.json"),
            ),
            (
                "Demo.Mixed-1.0.data/",
                Some("Demo.Mixed-1.0+rocm10.1.0.data/"),
            ),
            (
                "Demo.Mixed-1.0.data/data/Demo.Mixed-1.0.data/x",
                Some("Demo.Mixed-1.0+rocm10.1.0.data/data/Demo.Mixed-1.0.data/x"),
            ),
            ("demo/Demo.Mixed-1.0.data/x", None),
            ("Demo.Mixed-1.0.database/x", None),
            ("demo/__init__.py", None),
        ] {
            assert_eq!(renames.apply(old).as_deref(), new, "{old}");
        }
    }
}
