//! The table of AMD GPU targets, `data/device-targets.toml`: machine numbers and generic coverage.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    machine: BTreeMap<String, String>,
    generic: BTreeMap<String, Vec<String>>,
}

/// The file is part of the program and a test reads it, so the empty default is never met.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("../../data/device-targets.toml")).unwrap_or_default()
});

/// The processor of a machine number (`EF_AMDGPU_MACH`, the low byte of `e_flags`).
pub(super) fn processor(machine: u8) -> Option<&'static str> {
    let key = format!("0x{machine:02x}");
    TABLE.machine.get(&key).map(String::as_str)
}

/// Whether a processor, or a generic target, is in the table.
pub(super) fn is_known(processor: &str) -> bool {
    TABLE.machine.values().any(|name| name == processor)
}

/// Whether code for the generic target runs on the processor.
pub(super) fn covers(generic: &str, processor: &str) -> bool {
    TABLE
        .generic
        .get(generic)
        .is_some_and(|members| members.iter().any(|member| member == processor))
}

#[cfg(test)]
mod tests {
    use super::super::TargetId;
    use super::*;

    #[test]
    fn every_machine_number_names_a_target_once() {
        assert_eq!(TABLE.machine.len(), 64);
        let mut seen = BTreeMap::new();
        for (number, name) in &TABLE.machine {
            assert!(number.len() == 4 && number.starts_with("0x"), "{number}");
            assert!(u8::from_str_radix(&number[2..], 16).is_ok(), "{number}");
            assert!(name.parse::<TargetId>().is_ok(), "{name}");
            assert_eq!(seen.insert(name, number), None, "{name} is named twice");
        }
        assert_eq!(processor(0x4f), Some("gfx950"));
        assert_eq!(processor(0), None);
    }

    #[test]
    fn every_member_of_a_generic_target_has_a_machine_number_and_one_family() {
        let known: Vec<&String> = TABLE.machine.values().collect();
        let mut family = BTreeMap::new();
        for (generic, members) in &TABLE.generic {
            assert!(known.contains(&generic), "{generic}");
            for member in members {
                assert!(known.contains(&member), "{member}");
                assert_eq!(family.insert(member, generic), None, "{member}");
            }
        }
        let generics = known.iter().filter(|name| name.ends_with("-generic"));
        assert_eq!(generics.count(), TABLE.generic.len());
    }

    #[test]
    fn a_family_is_a_list_and_not_a_prefix() {
        assert!(covers("gfx9-4-generic", "gfx950"));
        assert!(covers("gfx11-generic", "gfx1151"));
        assert!(!covers("gfx9-generic", "gfx90a"));
        assert!(!covers("gfx9-generic", "gfx908"));
        assert!(!covers("gfx11-generic", "gfx1170"));
        assert!(!covers("gfx12-generic", "gfx1250"));
        assert!(!covers("gfx12-future-generic", "gfx1201"));
    }
}
