//! Why requests for many things failed, as lines.

use std::collections::BTreeMap;

use crate::registry::RegistryError;

/// Failures, a line each; those that a host cannot be reached are one line for all of them.
#[derive(Debug)]
pub(crate) struct Causes {
    /// What was asked for: `repository`, `image`.
    kind: &'static str,
    lines: Vec<String>,
    /// By cause and what to do, what was asked for.
    unreachable: BTreeMap<String, Vec<String>>,
}

impl Causes {
    /// None yet.
    pub(crate) fn of(kind: &'static str) -> Self {
        Self {
            kind,
            lines: vec![],
            unreachable: BTreeMap::new(),
        }
    }

    /// Adds why `asked` was not given.
    pub(crate) fn add(&mut self, asked: String, cause: &RegistryError) {
        if cause.is_unreachable() {
            let advice = match cause {
                // These say themselves which flag helps.
                RegistryError::Tls(_) => "",
                _ => "; --registry names another",
            };
            let cause = format!("{cause}{advice}");
            self.unreachable.entry(cause).or_default().push(asked);
        } else {
            self.add_line(format!("{asked}: {cause}"));
        }
    }

    /// Adds a failure that is no registry's.
    pub(crate) fn add_line(&mut self, line: String) {
        self.lines.push(line);
    }

    /// The lines, in order.
    pub(crate) fn into_lines(self) -> Vec<String> {
        let mut lines = self.lines;
        for (cause, mut all) in self.unreachable {
            all.sort_unstable();
            let more = match all.len() - 1 {
                0 => String::new(),
                1 => format!(" and 1 more {} there", self.kind),
                more => format!(" and {more} more {} there", plural(self.kind)),
            };
            let first = all.swap_remove(0);
            lines.push(format!("{first}{more}: {cause}"));
        }
        lines.sort_unstable();
        lines
    }
}

fn plural(kind: &str) -> String {
    match kind.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{kind}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreachable_host_is_told_once_and_other_failures_each() {
        let unreachable = || RegistryError::Again {
            cause: Box::new(RegistryError::Unreachable("cannot connect: no".to_owned())),
            tries: 6,
        };
        let denied = RegistryError::Denied("no".to_owned());
        let mut causes = Causes::of("repository");
        for name in ["c", "b", "d"] {
            causes.add(format!("host/{name}"), &unreachable());
        }
        causes.add("host/a".to_owned(), &denied);
        causes.add("host/e".to_owned(), &denied);
        assert_eq!(
            causes.into_lines(),
            [
                "host/a: access denied: no",
                "host/b and 2 more repositories there: cannot connect: no, 6 times; try again later; --registry names another",
                "host/e: access denied: no",
            ]
        );
        let mut two = Causes::of("image");
        two.add("host/b:1".to_owned(), &unreachable());
        two.add("host/a:1".to_owned(), &unreachable());
        assert_eq!(
            two.into_lines(),
            [
                "host/a:1 and 1 more image there: cannot connect: no, 6 times; try again later; --registry names another"
            ]
        );
        let mut tls = Causes::of("image");
        for name in ["a", "b", "c"] {
            let cause = RegistryError::Tls("no TLS; say so: --plain-http HOST".to_owned());
            tls.add(format!("host/{name}:1"), &cause);
        }
        assert_eq!(
            tls.into_lines(),
            ["host/a:1 and 2 more images there: no TLS; say so: --plain-http HOST"]
        );
    }
}
