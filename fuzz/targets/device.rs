//! The scan for GPU code: no bytes make it panic, and the chunks in which they come change nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use native::device::{MemberDevice, MemberScan, WheelDevice};

fn scan(bytes: &[u8], size: u64, chunk: usize) -> MemberDevice {
    let mut scan = MemberScan::begin("a.so", size);
    bytes.chunks(chunk).for_each(|chunk| scan.feed(chunk));
    scan.finish()
}

// The first byte chooses chunks and the size that the archive tells, the rest is the member.
fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first() else {
        return;
    };
    let size = match choice >> 6 {
        0 => bytes.len() as u64 / 2,
        1 => u64::MAX,
        _ => bytes.len() as u64,
    };
    let whole = scan(bytes, size, bytes.len().max(1));
    assert_eq!(scan(bytes, size, usize::from(choice & 0x3f) + 1), whole);
    let mut wheel = WheelDevice::new();
    wheel.add(whole);
    let (device, _) = wheel.finish("demo_gfx950");
    let known = |target: &String| device.targets.contains(target);
    assert!(device.common.iter().all(known));
});
