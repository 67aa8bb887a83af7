//! What was written is read again, by two readers that share no code, before it may go into a wheel.
//!
//! A patched library that is subtly wrong loads on the machine that made it and aborts on the user's, so a patcher is
//! never believed: the dynamic section must be what was asked for, the segments must be loadable, and the symbols must be
//! those that were there.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use goblin::elf::program_header::PT_LOAD;
use goblin::elf::sym::{STT_SECTION, st_type};
use goblin::elf::{Elf, ProgramHeader};
use sha2::{Digest, Sha256};

use crate::edit::{Dynamic, Edit};
use crate::elf_file::facts_of_file;
use crate::tables;

/// A file before it is edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Before {
    dynamic: Dynamic,
    symbols: [u8; 32],
}

impl Before {
    /// Reads a file with goblin, which must agree with `second`, what object reads in it.
    ///
    /// # Errors
    /// When goblin cannot read it, or they see different things: it is no file to edit.
    pub(crate) fn read(file: &Path, second: &Dynamic) -> anyhow::Result<Self> {
        let bytes = tables::read(file).context("goblin cannot read it")?;
        let elf = tables::parse(&bytes).context("goblin cannot read it")?;
        let before = Self {
            dynamic: dynamic(&elf)?,
            symbols: symbols(&elf)?,
        };
        ensure!(
            before.dynamic == *second,
            "two readers see different dynamic sections in it: it is damaged; link it again"
        );
        Ok(before)
    }

    /// Checks a file after the edit.
    ///
    /// # Errors
    /// The first thing that is not as it must be.
    pub(crate) fn check(&self, file: &Path, edit: &Edit) -> anyhow::Result<()> {
        let expected = edit.expected(&self.dynamic);
        {
            let unreadable = "goblin cannot read what patchelf wrote";
            let bytes = tables::read(file).context(unreadable)?;
            let elf = tables::parse(&bytes).context(unreadable)?;
            compare(&expected, &dynamic(&elf)?, "goblin")?;
            segments(&elf.program_headers, bytes.len() as u64)?;
            ensure!(
                symbols(&elf)? == self.symbols,
                "patchelf changed its symbol table"
            );
        }
        compare(&expected, &by_object(file)?, "object")
    }
}

fn by_object(file: &Path) -> anyhow::Result<Dynamic> {
    match facts_of_file(file)? {
        Some(facts) => Ok(Dynamic::from(&facts)),
        None => bail!("it is no ELF file"),
    }
}

fn compare(expected: &Dynamic, found: &Dynamic, reader: &str) -> anyhow::Result<()> {
    let checks = [
        ("DT_NEEDED", expected.needed == found.needed),
        ("DT_SONAME", expected.soname == found.soname),
        ("DT_RPATH", expected.rpath == found.rpath),
        ("DT_RUNPATH", expected.runpath == found.runpath),
        ("version needs", expected.versions == found.versions),
    ];
    for (what, same) in checks {
        ensure!(same, "patchelf wrote a wrong {what}, as {reader} reads it");
    }
    Ok(())
}

fn dynamic(elf: &Elf<'_>) -> anyhow::Result<Dynamic> {
    let text = |offset: usize| {
        elf.dynstrtab
            .get_at(offset)
            .context("a string is outside its table")
    };
    let mut versions = BTreeSet::new();
    if let Some(needs) = &elf.verneed {
        for need in needs {
            for version in &need {
                versions.insert((
                    text(need.vn_file)?.to_owned(),
                    text(version.vna_name)?.to_owned(),
                ));
            }
        }
    }
    let last = |paths: &[&str]| paths.last().map(|path| (*path).to_owned());
    Ok(Dynamic {
        needed: elf
            .libraries
            .iter()
            .map(|library| (*library).to_owned())
            .collect(),
        soname: elf.soname.map(str::to_owned),
        rpath: last(&elf.rpaths),
        runpath: last(&elf.runpaths),
        versions,
    })
}

/// A digest of every dynamic symbol's name, value, size and kind. Symbols that stand for a section move with it.
fn symbols(elf: &Elf<'_>) -> anyhow::Result<[u8; 32]> {
    let mut digest = Sha256::new();
    for symbol in &elf.dynsyms {
        let name = elf
            .dynstrtab
            .get_at(symbol.st_name)
            .context("a symbol's name is outside the string table")?;
        digest.update(name.as_bytes());
        digest.update([0, symbol.st_info, symbol.st_other]);
        if st_type(symbol.st_info) != STT_SECTION {
            digest.update(symbol.st_value.to_le_bytes());
            digest.update(symbol.st_size.to_le_bytes());
        }
    }
    Ok(digest.finalize().into())
}

/// What the loader asks of segments (System V ABI, program loading): addresses congruent to file offsets, in order,
/// apart, and inside the file.
fn segments(headers: &[ProgramHeader], size: u64) -> anyhow::Result<()> {
    let mut end = 0;
    for header in headers.iter().filter(|header| header.p_type == PT_LOAD) {
        let align = header.p_align.max(1);
        ensure!(
            header.p_vaddr % align == header.p_offset % align,
            "patchelf wrote a segment whose address and file offset are not congruent"
        );
        ensure!(
            header.p_vaddr >= end,
            "patchelf wrote segments that overlap"
        );
        let in_file = header.p_offset.checked_add(header.p_filesz);
        ensure!(
            in_file.is_some_and(|end| end <= size) && header.p_filesz <= header.p_memsz,
            "patchelf wrote a segment that ends outside the file"
        );
        end = header
            .p_vaddr
            .checked_add(header.p_memsz)
            .context("a segment has no end")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(offset: u64, address: u64, size: u64) -> ProgramHeader {
        ProgramHeader {
            p_type: PT_LOAD,
            p_offset: offset,
            p_vaddr: address,
            p_filesz: size,
            p_memsz: size,
            p_align: 0x1000,
            ..ProgramHeader::default()
        }
    }

    #[test]
    fn segments_that_no_loader_would_map_are_refused() {
        let said = |headers: &[ProgramHeader]| segments(headers, 0x9000).unwrap_err().to_string();
        assert!(segments(&[load(0, 0, 0x1000), load(0x1000, 0x2000, 0x100)], 0x9000).is_ok());
        assert!(said(&[load(0x10, 0x1000, 1)]).contains("congruent"));
        assert!(said(&[load(0, 0, 0x2000), load(0x1000, 0x1000, 1)]).contains("overlap"));
        assert!(said(&[load(0x8000, 0x8000, 0x2000)]).contains("outside the file"));
    }
}
