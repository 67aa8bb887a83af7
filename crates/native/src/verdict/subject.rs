//! Which of a wheel's ELF members the verdict is about.

use pipe::Finding;

use crate::elf::{Machine, VersionNeed};
use crate::policy::Libc;

use super::{Code, Member, c_library, is_loader};

/// The members of one machine and one C library.
#[derive(Debug)]
pub(super) struct Subject<'a> {
    /// The machine in the words of platform tags.
    pub(super) machine: String,
    /// Whether platform policies are about such a machine at all.
    pub(super) has_policies: bool,
    pub(super) libc: Libc,
    /// In the order of RECORD.
    pub(super) members: Vec<&'a Member>,
    /// Every ELF member of the wheel, whatever its machine: what a search path can lead to.
    pub(super) all: &'a [Member],
    platforms: &'a [String],
}

impl<'a> Subject<'a> {
    /// Picks machine and C library from the bytes; what does not belong is told as a finding.
    ///
    /// Where the bytes name several, the file name picks among them, else the first member does. Where
    /// they name none, the file name does. `None` without code for a host processor.
    pub(super) fn choose(code: &'a Code, findings: &mut Vec<Finding>) -> Option<Self> {
        let machine = choose_machine(code, findings)?;
        let of_machine: Vec<&Member> = code
            .members
            .iter()
            .filter(|member| member.facts.machine == machine)
            .collect();
        let word = word(machine, &code.platforms);
        tell_foreign(code, machine, findings);
        let named: Vec<String> = code
            .platforms
            .iter()
            .filter_map(|platform| machine_of_tag(platform))
            .collect();
        if !named.is_empty() && !named.contains(&word) && matches!(machine, Machine::Policy(_)) {
            findings.push(remark(
                "machine-name",
                format!(
                    "the file name says {}, the code is for {word}",
                    named.join(" and ")
                ),
            ));
        }
        let libc = c_library::choose(&of_machine, &code.platforms, findings);
        let members = of_machine
            .into_iter()
            .filter(|member| match c_library::hint(&member.facts) {
                Some(other) if other != libc => {
                    findings.push(Finding {
                        member: Some(member.name.clone()),
                        ..remark(
                            "mixed-libc",
                            format!(
                                "is linked against {}, most of the wheel against {}; it was left out",
                                other.word(),
                                libc.word()
                            ),
                        )
                    });
                    false
                }
                _ => true,
            })
            .collect();
        Some(Self {
            machine: word,
            has_policies: matches!(machine, Machine::Policy(_)),
            libc,
            members,
            all: &code.members,
            platforms: &code.platforms,
        })
    }

    /// Every version need that counts: those of the loader do not, which is never missing.
    pub(super) fn needs(&self) -> impl Iterator<Item = (&'a Member, &'a VersionNeed)> {
        self.members.iter().flat_map(|member| {
            member
                .facts
                .version_needs
                .iter()
                .filter(|need| !is_loader_need(&need.library))
                .map(|need| (*member, need))
        })
    }

    /// The API level: the newest that a member was built for, else the file name's, else the first
    /// that Python supports (PEP 738).
    pub(super) fn android_level(&self) -> u32 {
        let built = self
            .members
            .iter()
            .filter_map(|member| member.facts.android_api)
            .max();
        let named = self.platforms.iter().find_map(|platform| {
            platform
                .strip_prefix("android_")?
                .split('_')
                .next()?
                .parse()
                .ok()
        });
        built.or(named).unwrap_or(21)
    }
}

/// A finding about the wheel as a whole.
pub(super) fn remark(rule: &str, message: String) -> Finding {
    Finding {
        rule: rule.to_owned(),
        message: Some(message),
        ..Finding::default()
    }
}

/// auditwheel's rule for the loader's own version needs; stricter than for its name in `DT_NEEDED`.
fn is_loader_need(library: &str) -> bool {
    library.starts_with("ld-linux") || (is_loader(library) && library.starts_with("ld64"))
}

fn choose_machine(code: &Code, findings: &mut Vec<Finding>) -> Option<Machine> {
    let mut machines: Vec<Machine> = Vec::new();
    for member in &code.members {
        let machine = member.facts.machine;
        if matches!(machine, Machine::Policy(_)) && !machines.contains(&machine) {
            machines.push(machine);
        }
    }
    if machines.is_empty() {
        // No policy's machine. Firmware for some other processor is data, unless the file name says
        // that the wheel is for that processor.
        return code
            .members
            .iter()
            .map(|member| member.facts.machine)
            .find(|machine| {
                matches!(machine, Machine::Other(family) if code.platforms.iter()
                    .filter_map(|platform| machine_of_tag(platform))
                    .any(|named| named.starts_with(family)))
            });
    }
    let chosen = machines
        .iter()
        .copied()
        .find(|machine| {
            code.platforms
                .iter()
                .filter_map(|platform| machine_of_tag(platform))
                .any(|named| named == machine.to_string())
        })
        .or_else(|| machines.first().copied());
    if let (Some(chosen), true) = (chosen, machines.len() > 1) {
        let words: Vec<String> = machines.iter().map(ToString::to_string).collect();
        findings.push(remark(
            "mixed-machines",
            format!(
                "holds code for {}; the verdict is {chosen}'s",
                words.join(" and ")
            ),
        ));
    }
    chosen
}

/// The word of a tag for a machine; a family that no policy knows takes the file name's word.
fn word(machine: Machine, platforms: &[String]) -> String {
    match machine {
        Machine::Other(family) => platforms
            .iter()
            .filter_map(|platform| machine_of_tag(platform))
            .find(|named| named.starts_with(family))
            .unwrap_or_else(|| family.to_owned()),
        _ => machine.to_string(),
    }
}

/// The machine that a platform tag names, baseline for the `x86_64_v3` kind and Android's ABIs.
pub(super) fn machine_of_tag(platform: &str) -> Option<String> {
    const MACHINES: [(&str, &str); 15] = [
        ("_x86_64", "x86_64"),
        ("_x86_64_v2", "x86_64"),
        ("_x86_64_v3", "x86_64"),
        ("_x86_64_v4", "x86_64"),
        ("_i686", "i686"),
        ("_aarch64", "aarch64"),
        ("_arm64_v8a", "aarch64"),
        ("_armeabi_v7a", "armv7l"),
        ("_armv7l", "armv7l"),
        ("_ppc64le", "ppc64le"),
        ("_ppc64", "ppc64"),
        ("_s390x", "s390x"),
        ("_riscv64", "riscv64"),
        ("_loongarch64", "loongarch64"),
        ("_x86", "i686"),
    ];
    let known = MACHINES
        .iter()
        .filter(|(suffix, _)| platform.ends_with(suffix))
        .max_by_key(|(suffix, _)| suffix.len())
        .map(|(_, machine)| (*machine).to_owned());
    known.or_else(|| platform.strip_prefix("linux_").map(str::to_owned))
}

/// Host code for another machine was left out: it says so, unless it is a GPU's, which is its own
/// chapter.
fn tell_foreign(code: &Code, chosen: Machine, findings: &mut Vec<Finding>) {
    for member in &code.members {
        let machine = member.facts.machine;
        if machine != chosen && machine.is_host() {
            findings.push(Finding {
                member: Some(member.name.clone()),
                ..remark(
                    "foreign-machine",
                    format!("is code for {machine}; it was left out"),
                )
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_tag_names_its_machine() {
        for (tag, machine) in [
            ("manylinux_2_17_x86_64", Some("x86_64")),
            ("linux_x86_64_v3", Some("x86_64")),
            ("manylinux2014_ppc64", Some("ppc64")),
            ("manylinux2014_ppc64le", Some("ppc64le")),
            ("android_24_arm64_v8a", Some("aarch64")),
            ("android_24_x86", Some("i686")),
            ("linux_armv6l", Some("armv6l")),
            ("linux_mips", Some("mips")),
            ("any", None),
        ] {
            assert_eq!(machine_of_tag(tag).as_deref(), machine, "{tag}");
        }
    }
}
