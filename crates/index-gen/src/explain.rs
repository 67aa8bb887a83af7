//! The set as a table for a person: what came in, what is published.

use pipe::{DeviceKind, Wheel};

use crate::facts::{device_words, platforms};
use crate::size::human;

/// More targets than this are counted, not named.
const NAMED_TARGETS: usize = 3;

/// One row per wheel, in the order of the set.
pub(crate) fn table(arch: &str, wheels: &[Wheel]) -> String {
    let rows: Vec<Vec<String>> = wheels.iter().map(|wheel| row(arch, wheel)).collect();
    let head = [
        "distribution",
        "version",
        "platform tag",
        "newest glibc",
        "GPU targets",
        "size",
    ];
    pipe::table(&head, &rows)
}

fn row(arch: &str, wheel: &Wheel) -> Vec<String> {
    let now = platforms(&wheel.tags).join(".");
    let (version, platform) = match &wheel.origin {
        Some(origin) => (
            change(&origin.version, &wheel.version),
            change(&platforms(&origin.tags).join("."), &now),
        ),
        None => (wheel.version.clone(), now),
    };
    let glibc = wheel
        .platform
        .as_ref()
        .and_then(|platform| platform.required.get("GLIBC"));
    vec![
        wheel.name.clone(),
        version,
        platform,
        glibc.map_or_else(|| "-".to_owned(), Clone::clone),
        targets(arch, wheel),
        human(wheel.size),
    ]
}

fn change(before: &str, after: &str) -> String {
    if before == after {
        after.to_owned()
    } else {
        format!("{before} → {after}")
    }
}

/// The index's own target first, as that is what the reader looks for.
fn targets(arch: &str, wheel: &Wheel) -> String {
    let Some(device) = &wheel.device else {
        return "not measured".to_owned();
    };
    if device.kind != DeviceKind::Code {
        return device_words(device.kind).to_owned();
    }
    let (mut named, others): (Vec<&str>, Vec<&str>) = device
        .targets
        .iter()
        .map(String::as_str)
        .partition(|&target| target == arch);
    named.extend(others);
    let more = named.len().saturating_sub(NAMED_TARGETS);
    named.truncate(NAMED_TARGETS);
    match more {
        0 => named.join(" "),
        more => format!("{} +{more}", named.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_shows_what_changed_and_only_that() {
        let wheel: Wheel = serde_json::from_str(
            r#"{"path": "x", "filename": "x", "name": "cupy", "version": "14.2.0+rocm10.1.0",
            "tags": ["cp314-cp314-manylinux_2_24_x86_64"], "size": 72600000, "sha256": "",
            "platform": {"tag": "", "symbols_tag": "", "machine": null, "libc": null,
                "required": {"GLIBC": "2.22"}, "external": [], "excluded": [], "findings": []},
            "device": {"kind": "code", "targets": ["gfx908", "gfx90a", "gfx942", "gfx950"], "common": [], "members": []},
            "origin": {"filename": "y", "version": "14.2.0", "tags": ["cp314-cp314-manylinux2014_x86_64"], "sha256": ""}}"#,
        )
        .unwrap();
        assert_eq!(
            row("gfx950", &wheel),
            [
                "cupy",
                "14.2.0 → 14.2.0+rocm10.1.0",
                "manylinux2014_x86_64 → manylinux_2_24_x86_64",
                "2.22",
                "gfx950 gfx908 gfx90a +1",
                "72.6 MB"
            ]
        );
    }
}
