//! Members that are packs of kernels from their first byte to their last, and device libraries.

use super::member::Carrier;
use super::scan::{MemberScan, State, Step};
use super::{aks2, kpack, rules};

impl MemberScan {
    /// The directory of an AOTriton pack.
    pub(super) fn aks2(&mut self, data: &[u8], last: bool) -> Step {
        let wanted = self.room().min(aks2::HEADER as u64 + aks2::HEAD);
        if let Some(step) = wait(data, wanted, last) {
            return step;
        }
        match aks2::kernels(first(data, wanted)) {
            Ok(kernels) => {
                for (target, count) in kernels {
                    self.found.add_objects(Carrier::Aks2, target, count);
                }
            }
            Err(error) => self.unreadable(&format!("the kernel pack cannot be read: {error}")),
        }
        self.state = State::Done;
        Step::Advance(0)
    }

    /// The header of a kernel archive.
    pub(super) fn kpack_head(&mut self, data: &[u8]) -> Step {
        match kpack::table_offset(data, self.size) {
            Ok(offset) => {
                self.state = State::Kpack;
                Step::Advance(offset)
            }
            Err(error) => {
                self.unreadable(&format!("the kernel archive cannot be read: {error}"));
                self.state = State::Done;
                Step::Advance(0)
            }
        }
    }

    /// The table of contents of a kernel archive.
    pub(super) fn kpack(&mut self, data: &[u8], last: bool) -> Step {
        let wanted = self.room();
        if let Some(step) = wait(data, wanted, last) {
            return step;
        }
        match kpack::contents(first(data, wanted)) {
            Ok(contents) => {
                for (target, count) in contents.kernels {
                    self.found.add_objects(Carrier::Kpack, target, count);
                }
                for target in contents.empty {
                    self.found.note(rules::EMPTY_TARGET, || {
                        format!("the kernel archive names `{target}` and has no kernel for it")
                    });
                }
            }
            Err(error) => self.unreadable(&format!("the kernel archive cannot be read: {error}")),
        }
        self.state = State::Done;
        Step::Advance(0)
    }

    fn unreadable(&mut self, message: &str) {
        self.found.note(rules::PACK, || message.to_owned());
    }
}

/// The step to take when fewer bytes than wanted are there and more will come.
pub(super) fn wait(data: &[u8], wanted: u64, last: bool) -> Option<Step> {
    let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
    (data.len() < wanted && !last).then_some(Step::Need(wanted))
}

/// No more than the bytes that were wanted: what else stands in the chunk is chance.
pub(super) fn first(data: &[u8], wanted: u64) -> &[u8] {
    let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
    data.get(..wanted).unwrap_or(data)
}

/// Whether a member is one of the bitcode libraries of ROCm that device code is linked with (`ocml.bc`,
/// `oclc_isa_version_942.bc`): who brings them compiles kernels.
pub(super) fn is_device_library(name: &str, data: &[u8]) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default();
    let Some(stem) = file.strip_suffix(".bc") else {
        return false;
    };
    let stem = stem.strip_suffix(".amdgcn").unwrap_or(stem);
    data.starts_with(b"BC\xc0\xde")
        && (["ockl", "ocml"].contains(&stem) || stem.starts_with("oclc_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_library_has_its_name_and_is_bitcode() {
        let bitcode = b"BC\xc0\xde\x35\x14";
        assert!(is_device_library(
            "triton/backends/amd/lib/ocml.bc",
            bitcode
        ));
        assert!(is_device_library("lib/ockl.amdgcn.bc", bitcode));
        assert!(is_device_library("oclc_isa_version_942.bc", bitcode));
        assert!(!is_device_library("lib/libdevice.10.bc", bitcode));
        assert!(!is_device_library("lib/ocml.bc", b"text"));
        assert!(!is_device_library("lib/ocml", bitcode));
    }
}
