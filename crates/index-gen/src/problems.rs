//! Everything that is wrong with a set, told at once.

use pipe::Stop;

/// Collects what is wrong, so that a person mends a set in one go.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    faults: Vec<String>,
    refusals: Vec<String>,
}

impl Problems {
    /// A wheel, or a statement about one, that is broken: exit 2.
    pub(crate) fn fault(&mut self, about: &str, cause: impl std::fmt::Display) {
        self.faults.push(format!("{about}: {cause}"));
    }

    /// A sound wheel that does not belong here: exit 1.
    pub(crate) fn refuse(&mut self, about: &str, reason: impl std::fmt::Display) {
        self.refusals.push(format!("{about}: {reason}"));
    }

    /// Stops when anything was wrong; a fault outweighs a refusal.
    pub(crate) fn settle(&mut self) -> Result<(), Stop> {
        let Self {
            mut faults,
            mut refusals,
        } = std::mem::take(self);
        faults.sort();
        refusals.sort();
        if !faults.is_empty() {
            faults.append(&mut refusals);
            Err(Stop::Cannot(faults))
        } else if refusals.is_empty() {
            Ok(())
        } else {
            Err(Stop::No(refusals))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_outweighs_a_refusal_and_both_are_told() {
        let mut problems = Problems::default();
        problems.refuse("b.whl", "not here");
        problems.fault("a.whl", "broken");
        let told = vec!["a.whl: broken".to_owned(), "b.whl: not here".to_owned()];
        assert_eq!(problems.settle(), Err(Stop::Cannot(told)));
        assert_eq!(Problems::default().settle(), Ok(()));
    }
}
