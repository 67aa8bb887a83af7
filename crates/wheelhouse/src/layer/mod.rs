//! A layer on its way from the registry to wheels: fetched, unpacked, verified.

mod compression;
mod contents;
mod fetch;
mod part;
mod queue;
mod tar;
mod tar_header;
mod unpack;

pub(crate) use self::compression::Compression;
pub(crate) use self::contents::{Contents, Removal, StagedWheel, WheelEntry};
pub(crate) use self::fetch::{FetchError, fetch};
pub(crate) use self::unpack::MOST;
