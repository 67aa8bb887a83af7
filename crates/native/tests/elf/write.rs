//! Writes the bytes of an ELF file.

use super::{Elf, Layout};

struct Section {
    name: &'static str,
    kind: u32,
    offset: usize,
    size: usize,
    link: &'static str,
    info: usize,
    entry: usize,
}

pub(super) struct Writer<'a> {
    elf: &'a Elf,
    strings: Vec<u8>,
    body: Vec<u8>,
    sections: Vec<Section>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(elf: &'a Elf) -> Self {
        let header = if elf.wide() { 64 } else { 52 };
        let segment = if elf.wide() { 56 } else { 32 };
        let segments = if elf.layout == Layout::PatchedLongAgo {
            0
        } else {
            5
        };
        Self {
            elf,
            strings: vec![0],
            body: vec![0; header + segment * segments],
            sections: Vec::new(),
        }
    }

    fn number(&self, value: u64, size: usize) -> Vec<u8> {
        let mut bytes = value.to_le_bytes()[..size].to_vec();
        if !self.elf.little_endian {
            bytes.reverse();
        }
        bytes
    }

    fn word(&self, value: usize) -> Vec<u8> {
        self.number(value as u64, if self.elf.wide() { 8 } else { 4 })
    }

    fn string(&mut self, text: &str) -> usize {
        let at = self.strings.len();
        self.strings.extend(text.as_bytes());
        self.strings.push(0);
        at
    }

    fn put(
        &mut self,
        name: &'static str,
        kind: u32,
        bytes: &[u8],
        link: &'static str,
        info: usize,
        entry: usize,
    ) -> usize {
        while !self.body.len().is_multiple_of(8) {
            self.body.push(0);
        }
        let offset = self.body.len();
        self.body.extend(bytes);
        self.sections.push(Section {
            name,
            kind,
            offset,
            size: bytes.len(),
            link,
            info,
            entry,
        });
        offset
    }

    fn symbol(&mut self, name: &str, bind: u8, section: u16) -> Vec<u8> {
        let name = if name.is_empty() {
            0
        } else {
            self.string(name)
        };
        let info = (bind << 4) | 2;
        let mut out = self.number(name as u64, 4);
        if self.elf.wide() {
            out.extend([info, 0]);
            out.extend(self.number(u64::from(section), 2));
            out.extend([0; 16]);
        } else {
            out.extend([0; 8]);
            out.extend([info, 0]);
            out.extend(self.number(u64::from(section), 2));
        }
        out
    }

    fn symbols(&mut self) -> (Vec<u8>, Vec<u8>) {
        let elf = self.elf;
        let mut table = self.symbol("", 0, 0);
        let mut versions = self.number(0, 2);
        for (name, version) in &elf.undefined {
            table.extend(self.symbol(name, 1, 0));
            versions.extend(self.number(version.map_or(1, |index| index as u64 + 2), 2));
        }
        for name in &elf.weak {
            table.extend(self.symbol(name, 2, 0));
            versions.extend(self.number(1, 2));
        }
        for name in &elf.defined {
            table.extend(self.symbol(name, 1, 1));
            versions.extend(self.number(1, 2));
        }
        (table, versions)
    }

    fn version_needs(&mut self) -> Vec<u8> {
        let elf = self.elf;
        let mut out = Vec::new();
        for (index, (library, version)) in elf.versions.iter().enumerate() {
            let last = index + 1 == elf.versions.len();
            let (library, name) = (self.string(library), self.string(version));
            out.extend(self.number(1, 2));
            out.extend(self.number(1, 2));
            out.extend(self.number(library as u64, 4));
            out.extend(self.number(16, 4));
            out.extend(self.number(if last { 0 } else { 32 }, 4));
            out.extend(self.number(0, 4));
            out.extend(self.number(0, 2));
            out.extend(self.number(index as u64 + 2, 2));
            out.extend(self.number(name as u64, 4));
            out.extend(self.number(0, 4));
        }
        out
    }

    fn note(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut note = |name: &[u8; 4], long: &[u8], kind: u64, content: &[u8]| {
            out.extend(self.number((name.len() + long.len()) as u64, 4));
            out.extend(self.number(content.len() as u64, 4));
            out.extend(self.number(kind, 4));
            out.extend(name);
            out.extend(long);
            out.extend(content);
        };
        if let Some(level) = self.elf.android {
            note(b"Andr", b"oid\0", 1, &self.number(u64::from(level), 4));
        }
        if let Some(isa) = self.elf.isa {
            let mut property = self.number(0xc000_8002, 4);
            property.extend(self.number(4, 4));
            property.extend(self.number(u64::from(isa), 4));
            if self.elf.wide() {
                property.extend([0; 4]);
            }
            note(b"GNU\0", b"", 5, &property);
        }
        out
    }

    fn dynamic(&mut self, tags: &[(u32, usize)]) -> Vec<u8> {
        let mut out = Vec::new();
        for (tag, value) in tags.iter().chain(&[(0, 0)]) {
            out.extend(self.word(*tag as usize));
            out.extend(self.word(*value));
        }
        out
    }

    pub(super) fn write(mut self) -> Vec<u8> {
        let elf = self.elf;
        let symbol = if elf.wide() { 24 } else { 16 };
        let interpreter = elf.interpreter.as_ref().map(|name| {
            let bytes = [name.as_bytes(), b"\0"].concat();
            (self.put(".interp", 1, &bytes, "", 0, 0), bytes.len())
        });
        let note = self.note();
        let note = (!note.is_empty()).then(|| (self.put(".note", 7, &note, "", 0, 0), note.len()));
        let (symbols, versym) = self.symbols();
        let needs = self.version_needs();
        let mut tags: Vec<(u32, usize)> = Vec::new();
        for library in &elf.needed {
            tags.push((1, self.string(library)));
        }
        for (tag, text) in [(14, &elf.soname), (15, &elf.rpath), (29, &elf.runpath)] {
            if let Some(text) = text {
                tags.push((tag, self.string(text)));
            }
        }
        let strings = self.strings.clone();
        if elf.hash {
            let count = symbols.len() / symbol;
            let mut hash = self.number(1, 4);
            hash.extend(self.number(count as u64, 4));
            hash.extend(vec![0; 4 * (1 + count)]);
            let place = self.put(".hash", 5, &hash, ".dynsym", 0, 4);
            tags.push((4, place));
        }
        let place = self.put(".dynsym", 11, &symbols, ".dynstr", 1, symbol);
        tags.push((6, place));
        let place = self.put(".gnu.version", 0x6fff_ffff, &versym, ".dynsym", 0, 2);
        tags.push((0x6fff_fff0, place));
        if !needs.is_empty() {
            let place = self.put(
                ".gnu.version_r",
                0x6fff_fffe,
                &needs,
                ".dynstr",
                elf.versions.len(),
                0,
            );
            tags.push((0x6fff_fffe, place));
            tags.push((0x6fff_ffff, elf.versions.len()));
        }
        if elf.layout != Layout::Linked {
            self.body.extend(vec![0; elf.padding]);
        }
        let entry = if elf.wide() { 16 } else { 8 };
        let length = (tags.len() + 3) * entry;
        let aligned = |place: usize| place.next_multiple_of(8);
        // patchelf puts the strings behind the table that tells of them.
        let (dynamic, place) = if elf.layout == Layout::Linked {
            let place = aligned(self.body.len());
            (aligned(place + strings.len() + elf.padding), place)
        } else {
            let place = aligned(self.body.len());
            (place, aligned(place + length))
        };
        tags.extend([(5, place), (10, strings.len())]);
        let table = self.dynamic(&tags);
        if elf.layout == Layout::Linked {
            self.put(".dynstr", 3, &strings, "", 0, 0);
            self.body.extend(vec![0; elf.padding]);
            self.put(".dynamic", 6, &table, ".dynstr", 0, entry);
        } else {
            self.put(".dynamic", 6, &table, ".dynstr", 0, entry);
            self.put(".dynstr", 3, &strings, "", 0, 0);
        }
        let dynamic = (dynamic, table.len());
        let sections = elf.sections.then(|| self.section_headers());
        self.finish(interpreter, note, dynamic, sections)
    }

    /// Writes the section headers and returns their place and number.
    fn section_headers(&mut self) -> (usize, usize) {
        let mut names = vec![0];
        let mut starts = Vec::new();
        for section in &self.sections {
            starts.push(names.len());
            names.extend(section.name.as_bytes());
            names.push(0);
        }
        starts.push(names.len());
        names.extend(b".shstrtab\0");
        self.put(".shstrtab", 3, &names, "", 0, 0);
        while !self.body.len().is_multiple_of(8) {
            self.body.push(0);
        }
        let place = self.body.len();
        let mut out = vec![0; if self.elf.wide() { 64 } else { 40 }];
        for (section, start) in self.sections.iter().zip(starts) {
            let link = self
                .sections
                .iter()
                .position(|other| other.name == section.link)
                .map_or(0, |index| index + 1);
            out.extend(self.number(start as u64, 4));
            out.extend(self.number(u64::from(section.kind), 4));
            out.extend(self.word(2));
            out.extend(self.word(section.offset));
            out.extend(self.word(section.offset));
            out.extend(self.word(section.size));
            out.extend(self.number(link as u64, 4));
            out.extend(self.number(section.info as u64, 4));
            out.extend(self.word(8));
            out.extend(self.word(section.entry));
        }
        self.body.extend(out);
        (place, self.sections.len() + 1)
    }

    fn finish(
        mut self,
        interpreter: Option<(usize, usize)>,
        note: Option<(usize, usize)>,
        dynamic: (usize, usize),
        sections: Option<(usize, usize)>,
    ) -> Vec<u8> {
        let elf = self.elf;
        let wide = elf.wide();
        let (header, segment) = if wide { (64, 56) } else { (52, 32) };
        let at_end = elf.layout == Layout::PatchedLongAgo;
        let end = self.body.len() + if at_end { 5 * segment } else { 0 };
        // The first loadable segment holds the tables; the second one the rest, in patched files.
        let split = match elf.layout {
            Layout::Linked => end,
            _ => self
                .sections
                .iter()
                .find(|section| section.name == ".dynamic")
                .map_or(end, |section| section.offset),
        };
        let mut segments = vec![
            (1, 0, split),
            (1, split, end - split),
            (2, dynamic.0, dynamic.1),
        ];
        segments.extend(interpreter.map(|(place, size)| (3, place, size)));
        segments.extend(note.map(|(place, size)| (4, place, size)));
        segments.resize(5, (0, 0, 0));
        let mut out = Vec::new();
        // GNU properties are aligned as addresses are, all other notes as words.
        let align = if wide && elf.isa.is_some() { 8 } else { 4 };
        for (kind, place, size) in segments {
            let place_and_size = [
                self.word(place),
                self.word(place),
                self.word(place),
                self.word(size),
                self.word(size),
            ]
            .concat();
            out.extend(self.number(kind, 4));
            if wide {
                out.extend(self.number(5, 4));
                out.extend(place_and_size);
                out.extend(self.word(align));
            } else {
                out.extend(place_and_size);
                out.extend(self.number(5, 4));
                out.extend(self.word(align));
            }
        }
        let segments_at = if at_end { self.body.len() } else { header };
        if at_end {
            self.body.extend(&out);
        } else {
            self.body[header..header + out.len()].copy_from_slice(&out);
        }
        let (sections_at, count) = sections.unwrap_or_default();
        let mut head = vec![
            0x7f,
            b'E',
            b'L',
            b'F',
            if wide { 2 } else { 1 },
            if elf.little_endian { 1 } else { 2 },
            1,
            elf.os_abi,
        ];
        head.extend([0; 8]);
        head.extend(self.number(3, 2));
        head.extend(self.number(u64::from(elf.machine), 2));
        head.extend(self.number(1, 4));
        head.extend(self.word(0));
        head.extend(self.word(segments_at));
        head.extend(self.word(sections_at));
        head.extend(self.number(u64::from(elf.flags), 4));
        for value in [
            header,
            segment,
            5,
            if wide { 64 } else { 40 },
            count,
            count.saturating_sub(1),
        ] {
            head.extend(self.number(value as u64, 2));
        }
        self.body[..header].copy_from_slice(&head);
        self.body
    }
}
