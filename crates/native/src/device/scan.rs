//! The scan of one member.

use super::MemberDevice;

/// Reads one member of a wheel as its bytes come, and finds the GPU code in it.
#[derive(Debug)]
pub struct MemberScan {
    found: MemberDevice,
}

impl MemberScan {
    /// A scan of the member `name` (its path in the wheel) of `size` bytes.
    #[must_use]
    pub fn begin(name: &str, _size: u64) -> Self {
        Self {
            found: MemberDevice::new(name),
        }
    }

    /// The next bytes of the member, in order; the size of the chunks does not change what is found.
    pub fn feed(&mut self, _chunk: &[u8]) {}

    /// What the member carries.
    #[must_use]
    pub fn finish(self) -> MemberDevice {
        self.found
    }
}
