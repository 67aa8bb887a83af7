//! The table of a clang offload bundle: which code objects it holds and where.
//!
//! Format: <https://clang.llvm.org/docs/ClangOffloadBundler.html#bundled-binary-file-layout>. There is no
//! length and no checksum, so a table is believed only when every field of it is in bounds and every id
//! has the form of one; the magic string itself is a constant in many programs. An id is printable, and a
//! count and a length are not, so crafted tables cannot overlap by more than one entry: time stays linear.

use super::TargetId;
use super::fields::u64_at;

/// The first 24 bytes of a bundle.
pub(super) const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
/// Bundle ids are a kind, a triple and a target id; the longest seen is under 60 bytes.
const MAX_ID: u64 = 512;
/// More targets than there are machine numbers.
const MAX_ENTRIES: u64 = 512;

/// Bytes of the longest table that is believed.
pub(super) const MAX_TABLE: usize = 32 + (24 + 512) * 512;

/// A table that has been read whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bundle {
    /// In the order of the table.
    pub(super) entries: Vec<Entry>,
    /// Bytes from the magic to the end of the table.
    pub(super) table: u64,
}

/// One entry of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// As it stands in the table: `hipv4-amdgcn-amd-amdhsa--gfx950`.
    pub(super) id: String,
    pub(super) code: Code,
    /// From the bundle's start.
    pub(super) offset: u64,
    /// Bytes; an entry may be empty, and the host's always is.
    pub(super) size: u64,
}

/// What an entry is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Code {
    /// The host, or an accelerator that is not AMD's.
    Other,
    /// An AMD GPU.
    Gpu(TargetId),
    /// An AMD GPU, but the target is not one.
    Unreadable,
}

/// Why there is no table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoBundle {
    /// The bytes end before it does; this many are needed to go on.
    Need(usize),
    /// It is none: the magic string stands in plain data.
    Plain,
}

impl Bundle {
    /// Reads the table at the start of these bytes.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, NoBundle> {
        if !MAGIC.starts_with(&bytes[..bytes.len().min(MAGIC.len())]) {
            return Err(NoBundle::Plain);
        }
        let count = u64_at(bytes, 24).ok_or(NoBundle::Need(32))?;
        if !(1..=MAX_ENTRIES).contains(&count) {
            return Err(NoBundle::Plain);
        }
        let mut at = 32;
        let mut entries = Vec::new();
        for _ in 0..count {
            let need = NoBundle::Need(at + 24);
            let offset = u64_at(bytes, at).ok_or(need)?;
            let size = u64_at(bytes, at + 8).ok_or(need)?;
            let length = u64_at(bytes, at + 16).ok_or(need)?;
            at += 24;
            let length = match usize::try_from(length) {
                Ok(n) if (1..=MAX_ID).contains(&length) => n,
                _ => return Err(NoBundle::Plain),
            };
            let id = bytes
                .get(at..at + length)
                .ok_or(NoBundle::Need(at + length))?;
            at += length;
            let id = std::str::from_utf8(id).map_err(|_| NoBundle::Plain)?;
            let code = Code::of(id).ok_or(NoBundle::Plain)?;
            entries.push(Entry {
                id: id.to_owned(),
                code,
                offset,
                size,
            });
        }
        Ok(Self {
            entries,
            table: at as u64,
        })
    }

    /// Bytes from the magic to the end of the last entry; none where the sum overflows.
    pub(super) fn end(&self) -> Option<u64> {
        self.entries.iter().try_fold(self.table, |end, entry| {
            Some(end.max(entry.offset.checked_add(entry.size)?))
        })
    }
}

impl Code {
    /// Reads an id, `<kind>-<architecture>-<vendor>-<system>-<environment>-<target>`; the environment is
    /// empty or `unknown`, the oldest compilers left it out. None where it has not that form.
    fn of(id: &str) -> Option<Self> {
        let mut parts = id.splitn(6, '-');
        let kind = parts.next()?;
        let architecture = parts.next()?;
        let printable = id.bytes().all(|c| c.is_ascii_graphic());
        let word = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_alphanumeric());
        if !printable || !word(kind) || architecture.is_empty() {
            return None;
        }
        // LLVM's newest triples carry the family in the architecture: `amdgpu9.4`.
        let is_amd = ["amdgcn", "amdgpu", "spirv"]
            .iter()
            .any(|name| architecture.starts_with(name));
        if kind == "host" || !is_amd {
            return Some(Self::Other);
        }
        let (_vendor, _system) = (parts.next()?, parts.next()?);
        let environment = parts.next().unwrap_or_default();
        let rest = parts.next();
        let target = match rest {
            Some(rest) if environment.starts_with("gfx") => format!("{environment}-{rest}"),
            Some(rest) => rest.to_owned(),
            None => environment.to_owned(),
        };
        match target.parse() {
            Ok(target) => Some(Self::Gpu(target)),
            // SPIR-V of another maker's toolchain has no target at all.
            Err(_) if architecture.starts_with("spirv") => Some(Self::Other),
            Err(_) => Some(Self::Unreadable),
        }
    }
}

#[cfg(test)]
#[expect(clippy::cast_possible_truncation, reason = "fixtures are small")]
pub(super) mod tests {
    use super::*;

    /// A bundle of these entries, each aligned as the HIP compiler does.
    pub(in super::super) fn bundle(entries: &[(&str, &[u8])], align: usize) -> Vec<u8> {
        let table = 32 + entries.iter().map(|(id, _)| 24 + id.len()).sum::<usize>();
        let mut out = MAGIC.to_vec();
        out.extend((entries.len() as u64).to_le_bytes());
        let mut offset = table.next_multiple_of(align);
        for (id, code) in entries {
            out.extend((offset as u64).to_le_bytes());
            out.extend((code.len() as u64).to_le_bytes());
            out.extend((id.len() as u64).to_le_bytes());
            out.extend(id.as_bytes());
            offset = (offset + code.len()).next_multiple_of(align);
        }
        for (_, code) in entries {
            out.resize(out.len().next_multiple_of(align), 0);
            out.extend(*code);
        }
        out
    }

    fn gpu(id: &str) -> String {
        match Code::of(id) {
            Some(Code::Gpu(target)) => target.to_string(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn an_id_names_its_target_in_every_spelling_that_compilers_use() {
        for (id, target) in [
            ("hipv4-amdgcn-amd-amdhsa--gfx950", "gfx950"),
            (
                "hip-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
                "gfx90a:sramecc+:xnack-",
            ),
            ("hip-amdgcn-amd-amdhsa-unknown-gfx942", "gfx942"),
            ("hip-amdgcn-amd-amdhsa-gfx803", "gfx803"),
            ("hip-amdgcn-amd-amdhsa-gfx90a:xnack-", "gfx90a:xnack-"),
            ("hipv4-amdgcn-amd-amdhsa--gfx9-4-generic", "gfx9-4-generic"),
            ("hipv4-amdgpu-amd-amdhsa--gfx942", "gfx942"),
            ("hip-amdgpu9.4-amd-amdhsa-unknown-gfx942", "gfx942"),
            ("openmp-amdgcn-amd-amdhsa--gfx90a", "gfx90a"),
            ("hip-spirv64-amd-amdhsa-unknown-amdgcnspirv", "amdgcnspirv"),
            ("hip-spirv64-amd-amdhsa--amdgcnspirv", "amdgcnspirv"),
        ] {
            assert_eq!(gpu(id), target, "{id}");
        }
    }

    #[test]
    fn the_host_and_other_makers_accelerators_are_not_amd_code() {
        for id in [
            "host-x86_64-unknown-linux",
            "host-x86_64-unknown-linux-gnu-",
            "host-x86_64-unknown-linux--",
            "host-x86_64-pc-windows-msvc-",
            "openmp-nvptx64-nvidia-cuda--sm_90",
            "sycl-spirv64-unknown-unknown",
        ] {
            assert_eq!(Code::of(id), Some(Code::Other), "{id}");
        }
        assert_eq!(
            Code::of("hipv4-amdgcn-amd-amdhsa--tahiti"),
            Some(Code::Unreadable)
        );
        for id in [
            "",
            "host",
            "-x86_64",
            "hip v4-amdgcn",
            "h\u{e4}st-x",
            "%s-%s-%s",
        ] {
            assert_eq!(Code::of(id), None, "{id:?}");
        }
    }

    #[test]
    fn a_table_is_read_whole_or_says_how_much_it_needs() {
        let bytes = bundle(
            &[
                ("host-x86_64-unknown-linux-gnu-", b""),
                ("hipv4-amdgcn-amd-amdhsa--gfx950", b"code"),
            ],
            4096,
        );
        let whole = Bundle::read(&bytes).unwrap();
        assert_eq!(whole.entries.len(), 2);
        assert_eq!(whole.table, 32 + 24 + 30 + 24 + 31);
        assert_eq!(whole.end(), Some(4100));
        for end in MAGIC.len()..whole.table as usize {
            match Bundle::read(&bytes[..end]) {
                Err(NoBundle::Need(more)) => assert!(more > end && more as u64 <= whole.table),
                other => panic!("{end}: {other:?}"),
            }
        }
    }

    #[test]
    fn the_magic_string_in_plain_data_is_not_a_bundle() {
        let good = bundle(&[("hipv4-amdgcn-amd-amdhsa--gfx950", b"code")], 1);
        let with = |at: usize, value: u64| {
            let mut bytes = good.clone();
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
            Bundle::read(&bytes)
        };
        let mut message = MAGIC.to_vec();
        message.extend(b": not a bundle, and some more text behind it");
        let plain = |result| matches!(result, Err(NoBundle::Plain));
        assert!(plain(Bundle::read(&message)));
        assert!(plain(Bundle::read(b"__CLANG_OFFLOAD_BUNDLE_X")));
        for (at, value) in [
            (24, 0),
            (24, 513),
            (24, u64::MAX),
            (48, 0),
            (48, 513),
            (48, u64::MAX),
        ] {
            assert!(plain(with(at, value)), "{at} {value}");
        }
        let huge = with(32, u64::MAX).unwrap();
        assert_eq!(huge.end(), None, "an offset that overflows has no end");
    }
}
