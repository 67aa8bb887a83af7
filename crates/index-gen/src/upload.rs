//! `assets.json`: what is uploaded for an architecture, so that the index comes last.

use std::io;

use serde::ser::{Error, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::address::AddressError;
use crate::admission::Admitted;
use crate::assets::sidecar;
use crate::options::Options;
use crate::pages::write_json;
use crate::sink::Out;

#[derive(Serialize)]
struct Assets<'a> {
    schema: &'static str,
    architecture: &'a str,
    files: Files<'a>,
}

/// Sorted by name: each wheel, and its metadata right behind it.
struct Files<'a>(&'a Options, &'a [Admitted<'a>]);

#[derive(Serialize)]
struct Asset<'a> {
    name: &'a str,
    kind: Kind,
    /// Where the pages expect it.
    url: &'a str,
    size: u64,
    sha256: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Wheel,
    Metadata,
}

/// Writes the file.
pub(crate) fn write_assets(
    out: &mut Out,
    options: &Options,
    admitted: &[Admitted],
) -> io::Result<()> {
    let assets = Assets {
        schema: "index-assets/1",
        architecture: options.arch.as_str(),
        files: Files(options, admitted),
    };
    write_json(out, &assets)
}

impl Serialize for Files<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(options, admitted) = self;
        let mut files = serializer.serialize_seq(None)?;
        for Admitted { entrant, known, .. } in *admitted {
            let wheel = &entrant.wheel;
            let url = url(options, &wheel.filename).map_err(S::Error::custom)?;
            files.serialize_element(&Asset {
                name: &wheel.filename,
                kind: Kind::Wheel,
                url: &url,
                size: wheel.size,
                sha256: &wheel.sha256,
            })?;
            files.serialize_element(&Asset {
                name: &sidecar(&wheel.filename),
                kind: Kind::Metadata,
                url: &format!("{url}.metadata"),
                size: known.told.metadata_size,
                sha256: &known.told.metadata_sha256.to_string(),
            })?;
        }
        files.end()
    }
}

/// In the site, the address is relative to `assets.json` itself.
fn url(options: &Options, filename: &str) -> Result<String, AddressError> {
    let url = options.location.of(&options.arch, filename)?;
    if !options.location.is_in_site() {
        return Ok(url);
    }
    Ok(url.rsplit('/').next().unwrap_or_default().to_owned())
}
