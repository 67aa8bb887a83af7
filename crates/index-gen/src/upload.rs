//! `assets.json`: what is uploaded for an architecture, so that the index comes last.

use serde::Serialize;

use crate::address::AddressError;
use crate::admission::{Admitted, sidecar};
use crate::options::Options;
use crate::pages::to_json;

#[derive(Serialize)]
struct Assets<'a> {
    schema: &'static str,
    architecture: &'a str,
    /// Sorted by name: each wheel, and its metadata right behind it.
    files: Vec<Asset<'a>>,
}

#[derive(Serialize)]
struct Asset<'a> {
    name: String,
    kind: Kind,
    /// Where the pages expect it.
    url: String,
    size: u64,
    sha256: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Wheel,
    Metadata,
}

/// The file's bytes.
pub(crate) fn assets_json(options: &Options, admitted: &[Admitted]) -> anyhow::Result<Vec<u8>> {
    let mut files = Vec::with_capacity(2 * admitted.len());
    for Admitted { entrant, known, .. } in admitted {
        let wheel = &entrant.wheel;
        let url = url(options, &wheel.filename)?;
        files.push(Asset {
            name: wheel.filename.clone(),
            kind: Kind::Wheel,
            url: url.clone(),
            size: wheel.size,
            sha256: &wheel.sha256,
        });
        files.push(Asset {
            name: sidecar(&wheel.filename),
            kind: Kind::Metadata,
            url: format!("{url}.metadata"),
            size: known.told.metadata_size,
            sha256: &known.told.metadata_sha256,
        });
    }
    to_json(&Assets {
        schema: "index-assets/1",
        architecture: options.arch.as_str(),
        files,
    })
}

/// In the site, the address is relative to `assets.json` itself.
fn url(options: &Options, filename: &str) -> Result<String, AddressError> {
    let url = options.location.of(&options.arch, filename)?;
    if !options.location.is_in_site() {
        return Ok(url);
    }
    Ok(url.rsplit('/').next().unwrap_or_default().to_owned())
}
