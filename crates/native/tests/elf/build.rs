//! Small ELF files for tests: what each test needs and nothing else.

#[path = "write.rs"]
mod write;

/// How a file is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Layout {
    /// Tables first, section headers last, as linkers write.
    #[default]
    Linked,
    /// Strings and dynamic table behind everything else, as patchelf leaves them.
    Patched,
    /// Program headers at the end too, as patchelf of 2016 left them.
    PatchedLongAgo,
}

/// An ELF file in the making.
#[derive(Debug, Clone)]
pub(crate) struct Elf {
    pub(crate) machine: u16,
    pub(crate) bits: u8,
    pub(crate) little_endian: bool,
    pub(crate) flags: u32,
    pub(crate) os_abi: u8,
    pub(crate) needed: Vec<String>,
    pub(crate) soname: Option<String>,
    pub(crate) rpath: Option<String>,
    pub(crate) runpath: Option<String>,
    pub(crate) interpreter: Option<String>,
    /// Library and version.
    pub(crate) versions: Vec<(String, String)>,
    /// Name and the index in `versions` that it uses.
    pub(crate) undefined: Vec<(String, Option<usize>)>,
    pub(crate) weak: Vec<String>,
    pub(crate) defined: Vec<String>,
    pub(crate) isa: Option<u32>,
    pub(crate) android: Option<u32>,
    pub(crate) sections: bool,
    pub(crate) hash: bool,
    pub(crate) layout: Layout,
    /// Bytes of nothing between the tables and what comes behind.
    pub(crate) padding: usize,
}

impl Default for Elf {
    fn default() -> Self {
        Self {
            machine: 62,
            bits: 64,
            little_endian: true,
            flags: 0,
            os_abi: 0,
            needed: Vec::new(),
            soname: None,
            rpath: None,
            runpath: None,
            interpreter: None,
            versions: Vec::new(),
            undefined: Vec::new(),
            weak: Vec::new(),
            defined: Vec::new(),
            isa: None,
            android: None,
            sections: true,
            hash: false,
            layout: Layout::Linked,
            padding: 0,
        }
    }
}

impl Elf {
    /// The file's bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        write::Writer::new(self).write()
    }

    fn wide(&self) -> bool {
        self.bits == 64
    }
}
