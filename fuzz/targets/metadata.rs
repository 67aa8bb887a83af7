//! METADATA: no bytes make the reader panic, and another version changes the version and nothing else.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wheel::{Metadata, Version};

fuzz_target!(|data: &[u8]| {
    let Ok(metadata) = Metadata::parse(data.to_vec()) else {
        return;
    };
    let _ = (metadata.requires_python(), metadata.is_utf8());
    let requirements = metadata.requires_dist();
    for requirement in &requirements {
        if let Ok(requirement) = &requirement.requirement {
            let _ = format!("{requirement:?}");
        }
    }
    let Ok(version) = "1.2.3+rocm10.1.0".parse::<Version>() else {
        unreachable!("a version");
    };
    let edited = metadata.edited(vec![metadata.version_edit(&version)]);
    let Ok(again) = Metadata::parse(edited) else {
        panic!("what was written cannot be read");
    };
    assert_eq!(again.version(), &version);
    assert_eq!(again.name(), metadata.name());
    let texts = |metadata: &Metadata| -> Vec<String> {
        let all = metadata.requires_dist().into_iter();
        all.map(|requirement| requirement.text).collect()
    };
    assert_eq!(texts(&again), texts(&metadata));
});
