//! Whether a wheel's GPU code belongs into an index.

use native::device::{Served, serves};
use pipe::{Architecture, Device, DeviceKind};

use crate::facts::device_words;

/// More targets than this are counted, not named.
const NAMED_TARGETS: usize = 5;

/// Why a wheel is kept out of an index.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DoesNotBelong {
    /// `sglang-kernel-rdna3` in a gfx950 index.
    #[error(
        "its GPU code is for {} and none of it for {arch}; leave it out, or publish it in an index of its own architecture",
        some(targets)
    )]
    OtherGpu {
        /// What it has code for.
        targets: Vec<String>,
        /// The index.
        arch: Architecture,
    },
    /// A torch that was built without `PYTORCH_ROCM_ARCH`.
    #[error(
        "it must carry code for {arch} (`must-carry`) and has none: {found}; build it for {arch}"
    )]
    MustCarry {
        /// The index.
        arch: Architecture,
        /// What it is instead.
        found: &'static str,
    },
}

/// A few targets by name, and how many there are beside.
fn some(targets: &[String]) -> String {
    match targets.split_at_checked(NAMED_TARGETS) {
        Some((named, more)) if !more.is_empty() => {
            format!("{} and {} more", named.join(", "), more.len())
        }
        _ => targets.join(", "),
    }
}

/// Judges a wheel; what is right but worth knowing is told as notes.
pub(crate) fn belongs(
    arch: &Architecture,
    device: &Device,
    must_carry: bool,
) -> Result<Vec<String>, DoesNotBelong> {
    if device.kind != DeviceKind::Code {
        return if must_carry {
            Err(DoesNotBelong::MustCarry {
                arch: arch.clone(),
                found: device_words(device.kind),
            })
        } else {
            Ok(vec![])
        };
    }
    let mut notes = Vec::new();
    match serves(arch.as_str(), &device.targets) {
        Served::No => {
            return Err(DoesNotBelong::OtherGpu {
                targets: device.targets.clone(),
                arch: arch.clone(),
            });
        }
        Served::Yes(_) => {}
        Served::Generic(target) => {
            notes.push(format!(
                "serves {arch} with {target} code, not with code of its own"
            ));
        }
        Served::Spirv => notes.push(format!(
            "serves {arch} with SPIR-V, which is compiled where it runs"
        )),
    }
    if !serves(arch.as_str(), &device.common).is_served() {
        notes.extend(partly(arch, device));
    }
    Ok(notes)
}

/// Code that some bundles lack is missed only when a kernel of theirs is launched.
fn partly(arch: &Architecture, device: &Device) -> Option<String> {
    let lacking: Vec<&str> = device
        .members
        .iter()
        .filter(|member| member.bundles > 0)
        .filter(|member| {
            let every = member.common.as_ref().unwrap_or(&member.targets);
            !serves(arch.as_str(), every).is_served()
        })
        .map(|member| member.member.as_str())
        .collect();
    (!lacking.is_empty()).then(|| {
        format!(
            "some of its GPU code is not there for {arch}: {}",
            lacking.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pipe::{DeviceMember, More};

    fn gfx950() -> Architecture {
        "gfx950".parse().unwrap()
    }

    fn text(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    fn device(kind: DeviceKind, targets: &[&str], common: &[&str]) -> Device {
        Device {
            kind,
            targets: text(targets),
            common: text(common),
            members: vec![],
            more: More::new(),
        }
    }

    #[test]
    fn code_for_other_gpus_only_does_not_belong() {
        let rdna = device(DeviceKind::Code, &["gfx1100"], &["gfx1100"]);
        assert_eq!(
            belongs(&gfx950(), &rdna, false).unwrap_err().to_string(),
            "its GPU code is for gfx1100 and none of it for gfx950; leave it out, or publish it in an \
             index of its own architecture"
        );
    }

    #[test]
    fn of_many_targets_a_few_are_named() {
        let six = [
            "gfx1010", "gfx1030", "gfx1100", "gfx1101", "gfx1200", "gfx1201",
        ];
        for (targets, told) in [
            (&six[..5], "gfx1010, gfx1030, gfx1100, gfx1101, gfx1200"),
            (
                &six[..],
                "gfx1010, gfx1030, gfx1100, gfx1101, gfx1200 and 1 more",
            ),
        ] {
            let rdna = device(DeviceKind::Code, targets, targets);
            assert_eq!(
                belongs(&gfx950(), &rdna, false).unwrap_err().to_string(),
                format!(
                    "its GPU code is for {told} and none of it for gfx950; leave it out, or publish it in an \
                     index of its own architecture"
                )
            );
        }
    }

    #[test]
    fn code_for_this_gpu_and_others_belongs() {
        let both = device(
            DeviceKind::Code,
            &["gfx942", "gfx950"],
            &["gfx942", "gfx950"],
        );
        assert_eq!(belongs(&gfx950(), &both, true), Ok(vec![]));
    }

    #[test]
    fn bundles_without_the_target_are_named() {
        let mut partly = device(DeviceKind::Code, &["gfx90a", "gfx950"], &["gfx90a"]);
        let member = |name: &str, targets: &[&str], common: Option<&[&str]>| DeviceMember {
            member: name.to_owned(),
            carrier: "fatbin".to_owned(),
            bundles: 2,
            targets: text(targets),
            common: common.map(text),
            objects: None,
        };
        partly.members = vec![
            member("a.so", &["gfx90a", "gfx950"], None),
            member("b.so", &["gfx90a"], None),
            member("c.so", &["gfx90a", "gfx950"], Some(&["gfx90a"])),
        ];
        assert_eq!(
            belongs(&gfx950(), &partly, false).unwrap(),
            ["some of its GPU code is not there for gfx950: b.so, c.so"]
        );
    }

    #[test]
    fn what_must_carry_code_is_refused_without() {
        let none = device(DeviceKind::None, &[], &[]);
        assert_eq!(belongs(&gfx950(), &none, false), Ok(vec![]));
        assert_eq!(
            belongs(&gfx950(), &none, true).unwrap_err().to_string(),
            "it must carry code for gfx950 (`must-carry`) and has none: no GPU code; build it for gfx950"
        );
    }
}
