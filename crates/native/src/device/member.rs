//! What one member of a wheel carries.

/// The GPU code found in one member.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemberDevice {
    name: String,
}

impl MemberDevice {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
        }
    }
}
