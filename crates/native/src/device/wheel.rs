//! What the members of a wheel carry together.

use pipe::{Device, DeviceKind, Finding, More};

use super::MemberDevice;

/// Puts together what the members of one wheel carry, in whatever order they come.
#[derive(Debug, Default)]
pub struct WheelDevice {}

impl WheelDevice {
    /// A wheel of which no member has been seen.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One scanned member.
    pub fn add(&mut self, _member: MemberDevice) {}

    /// The libraries that a host ELF of the wheel needs (`DT_NEEDED`): they tell a wheel that compiles its
    /// kernels where it runs, or that only calls HIP, from one that has nothing to do with a GPU.
    pub fn add_host_facts<'a>(&mut self, _needed: impl IntoIterator<Item = &'a str>) {}

    /// The facts of the wheel, and what was noticed, sorted. `distribution` is the name in its file name:
    /// it tells a placeholder, and nothing else.
    #[must_use]
    pub fn finish(self, _distribution: &str) -> (Device, Vec<Finding>) {
        let device = Device {
            kind: DeviceKind::None,
            targets: Vec::new(),
            common: Vec::new(),
            members: Vec::new(),
            more: More::new(),
        };
        (device, Vec::new())
    }
}
