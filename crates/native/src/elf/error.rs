//! Why an ELF member could not be read.

/// An ELF file whose header is sound and whose tables are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ElfError {
    /// A file that was cut short: its section headers would lie behind its end.
    #[error("its {0} reach past the end of the file: it is cut short or damaged")]
    PastEnd(&'static str),
    /// A string offset outside of its table, an entry size that no format has.
    #[error("its {0} are damaged")]
    Invalid(&'static str),
    /// A count or size that no compiler writes: 60 million version needs.
    #[error("its {0} are larger than any compiler makes them: it is damaged")]
    Absurd(&'static str),
    /// Tables that point at one another back and forth through the file.
    #[error("its tables are scattered so that three passes over it do not read them")]
    Scattered,
}

/// Why a reading stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// Bytes were asked for that were not kept.
    Missing,
    /// The file is damaged.
    Damaged(ElfError),
}

impl From<ElfError> for Stop {
    fn from(error: ElfError) -> Self {
        Self::Damaged(error)
    }
}
