//! The names of what the scan reports, and which of them mean that the wheel's code is not sound.

/// The wrappers of a host library are not as many as its bundles.
pub(super) const WRAPPER_COUNT: &str = "device.wrapper-count";
/// A bundle, or code in it, reaches past the end of the section or the member.
pub(super) const BUNDLE_BOUNDS: &str = "device.bundle-bounds";
/// A compressed bundle that cannot be read.
pub(super) const COMPRESSED: &str = "device.compressed-bundle";
/// An entry of a bundle whose code is not what its id says.
pub(super) const ENTRY: &str = "device.bundle-entry";
/// An entry of a bundle without any code.
pub(super) const EMPTY_ENTRY: &str = "device.empty-entry";
/// A code object that is cut short.
pub(super) const OBJECT_BOUNDS: &str = "device.object-bounds";
/// A kernel pack or archive that cannot be read.
pub(super) const PACK: &str = "device.unreadable-pack";
/// More than the scan keeps, so what it says is not complete.
pub(super) const LIMIT: &str = "device.limit";
/// A machine number that is not in the table of targets.
pub(super) const UNKNOWN_MACHINE: &str = "device.unknown-machine";
/// An entry of a bundle whose id names no target.
pub(super) const UNKNOWN_TARGET: &str = "device.unknown-target";
/// A kernel archive that names a target and has nothing for it.
pub(super) const EMPTY_TARGET: &str = "device.empty-target";
/// A code object for another target than its path says.
pub(super) const NAME: &str = "device.name-differs";

const FAULTS: [&str; 9] = [
    WRAPPER_COUNT,
    BUNDLE_BOUNDS,
    COMPRESSED,
    ENTRY,
    EMPTY_ENTRY,
    OBJECT_BOUNDS,
    PACK,
    LIMIT,
    UNKNOWN_TARGET,
];

/// Whether a finding's rule says that the GPU code of a wheel is damaged or could not be measured in full,
/// so that its targets are no ground to publish it on. The other `device.` rules are notes.
#[must_use]
pub fn is_device_fault(rule: &str) -> bool {
    FAULTS.contains(&rule)
}
