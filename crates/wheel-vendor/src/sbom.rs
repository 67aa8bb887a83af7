//! The bill of materials: what was grafted, from which package (PEP 770, `CycloneDX` 1.6).

use pipe::Wheel;
use serde_json::{Value, json};

use crate::debian::Package;
use crate::graft::{Graft, Grafts};

/// Its place in the wheel. That of an earlier graft stays, so another one gets a number.
pub(crate) fn place(dist_info: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut name = format!("{dist_info}/sboms/wheel-vendor.cdx.json");
    let mut number = 1;
    while taken(&name) {
        number += 1;
        name = format!("{dist_info}/sboms/wheel-vendor.{number}.cdx.json");
    }
    name
}

/// The document, as bytes that depend on nothing but the wheel and the libraries: no serial number, no time.
///
/// # Errors
/// Never in practice; what JSON cannot express is refused.
pub(crate) fn sbom(wheel: &Wheel, grafts: &Grafts) -> serde_json::Result<Vec<u8>> {
    let own = format!(
        "pkg:pypi/{}@{}",
        wheel.name,
        wheel.version.replace('+', "%2B")
    );
    let owners = Package::owners(grafts.libraries.iter().map(|graft| graft.path.as_path()));
    let components: Vec<Value> = grafts
        .libraries
        .iter()
        .map(|graft| component(graft, &grafts.folder, owners.get(&graft.path)))
        .collect();
    let depends: Vec<&str> = components
        .iter()
        .filter_map(|component| component["bom-ref"].as_str())
        .collect();
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {"type": "library", "bom-ref": own, "name": wheel.name, "version": wheel.version, "purl": own},
            "tools": {"components": [{"type": "application", "name": "wheel-vendor", "version": env!("CARGO_PKG_VERSION")}]},
        },
        "components": components,
        "dependencies": [{"ref": own, "dependsOn": depends}],
    });
    let mut bytes = serde_json::to_vec_pretty(&document)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn component(graft: &Graft, folder: &str, owner: Option<&Package>) -> Value {
    let source = graft.path.file_name().unwrap_or_default().to_string_lossy();
    let place = format!("{folder}/{}", graft.name);
    let mut component = json!({
        "type": "library",
        "bom-ref": place,
        "name": source,
        "hashes": [{"alg": "SHA-256", "content": graft.sha256}],
        "evidence": {"occurrences": [{"location": place}]},
    });
    if let Some(package) = owner {
        component["version"] = json!(package.version);
        component["purl"] = json!(package.purl());
    }
    component
}
