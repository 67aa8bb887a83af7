//! What one ELF file says about itself.

use std::collections::{BTreeMap, BTreeSet};

use super::Machine;

/// What an ELF member of a wheel asks of the system that it is loaded on.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, read from its own place"
)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Whose code it is, from the header.
    pub machine: Machine,
    /// 32 or 64.
    pub bits: u8,
    /// Byte order.
    pub little_endian: bool,
    /// `EI_OSABI`: 0 for System V, 3 for GNU.
    pub os_abi: u8,
    /// `PT_INTERP`: the loader that an executable names.
    pub interpreter: Option<String>,
    /// `DT_NEEDED`, in the file's order.
    pub needed: Vec<String>,
    /// `DT_SONAME`.
    pub soname: Option<String>,
    /// `DT_RPATH`, as it stands; the last one where there are several.
    pub rpath: Option<String>,
    /// `DT_RUNPATH`, as it stands.
    pub runpath: Option<String>,
    /// Version needs of `PT_DYNAMIC` and of the section view together, without repetition, in the
    /// file's order.
    pub version_needs: Vec<VersionNeed>,
    /// Version needs that only one of the two views shows.
    pub views_differ: Vec<VersionNeed>,
    /// Whether it has section headers.
    pub has_sections: bool,
    /// Whether it has a dynamic table, so that a loader reads it.
    pub is_dynamic: bool,
    /// The API level in an Android identification note.
    pub android_api: Option<u32>,
    /// `GNU_PROPERTY_X86_ISA_1_NEEDED` bits, where a note has them.
    pub isa_needed: Option<u32>,
    /// Which of the names asked for are undefined here, and not weak.
    pub undefined: BTreeSet<String>,
    /// Whether it asks for one of the names of Python's removed floating-point protection
    /// (`PyFPE_jbuf`, `PyFPE_dummy`, `PyFPE_counter`).
    pub pyfpe: bool,
    /// Whether it asks for functions whose name holds `PyUnicodeUCS2_`.
    pub ucs2: bool,
    /// Whether it is a Python extension module, told by its init function.
    pub extension: Option<Extension>,
    /// Version need (`GLIBC_2.27` of `libm.so.6`) to the undefined symbols that use it; only when asked for.
    pub symbols: BTreeMap<VersionNeed, BTreeSet<String>>,
    /// Why the symbol table was not read, where it could not be.
    pub symbols_unread: Option<&'static str>,
}

impl Facts {
    /// About how much memory the facts take, in bytes.
    #[must_use]
    pub fn weight(&self) -> usize {
        let text = |text: &String| text.len() + size_of::<String>();
        let needs = self.version_needs.iter().chain(&self.views_differ);
        let names = [&self.interpreter, &self.soname, &self.rpath, &self.runpath];
        size_of::<Self>()
            + self.needed.iter().map(text).sum::<usize>()
            + names.into_iter().flatten().map(text).sum::<usize>()
            + needs
                .map(|need| text(&need.library) + text(&need.version))
                .sum::<usize>()
            + self.undefined.iter().map(text).sum::<usize>()
            + self.symbols.values().flatten().map(text).sum::<usize>()
    }

    /// What is known of a file that the host's processor does not run.
    pub(super) fn of_device(machine: Machine, bits: u8, little_endian: bool) -> Self {
        Self {
            machine,
            bits,
            little_endian,
            os_abi: 0,
            interpreter: None,
            needed: Vec::new(),
            soname: None,
            rpath: None,
            runpath: None,
            version_needs: Vec::new(),
            views_differ: Vec::new(),
            has_sections: false,
            is_dynamic: false,
            android_api: None,
            isa_needed: None,
            undefined: BTreeSet::new(),
            pyfpe: false,
            ucs2: false,
            extension: None,
            symbols: BTreeMap::new(),
            symbols_unread: None,
        }
    }
}

/// A version that a file needs of a library.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct VersionNeed {
    /// The library, by its `DT_NEEDED` name.
    pub library: String,
    /// The version: `GLIBC_2.38`.
    pub version: String,
}

/// Which Python an extension module's init function is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extension {
    /// `initNAME`.
    Python2,
    /// `PyInit_NAME`.
    Python3,
}

/// What is asked about an ELF member beyond what every member is asked.
#[derive(Debug, Clone, Copy)]
pub struct Questions<'a> {
    /// The member's path in the wheel; its last part up to the first dot names an extension module.
    pub member: &'a str,
    /// Symbols to look for among the undefined ones.
    pub watched: &'a BTreeSet<String>,
    /// Whether to tell which symbols use which version; costs one more table.
    pub symbols: bool,
}

impl Questions<'_> {
    /// The module that the member would be as a Python extension.
    pub(super) fn module(&self) -> &str {
        let file = self.member.rsplit('/').next().unwrap_or_default();
        file.split('.').next().unwrap_or_default()
    }
}
