//! Extra fields of a zip header: the ZIP64 one is read and made afresh, others are carried over.

use super::bytes::Fields;
use super::fault::Fault;

/// Header id of the ZIP64 field (APPNOTE 4.5.3).
pub(super) const ZIP64: u16 = 0x0001;
/// Info-ZIP's Unicode path: a second name for the member, which some readers prefer (4.6.9).
const UNICODE_PATH: u16 = 0x7075;

/// The extra fields of one header, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Extra<'a> {
    /// The content of the ZIP64 field.
    pub(super) zip64: Option<&'a [u8]>,
    /// All other fields as they stand, heads included.
    pub(super) others: Vec<u8>,
}

impl<'a> Extra<'a> {
    /// Takes the bytes of an extra field apart.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, (Fault, &'static str)> {
        let mut extra = Self::default();
        let mut fields = Fields(bytes);
        while !fields.0.is_empty() {
            let before = fields.0;
            let read = (|| {
                let id = fields.u16()?;
                let length = usize::from(fields.u16()?);
                Some((id, fields.take(length)?))
            })();
            let Some((id, content)) = read else {
                return Err((Fault::ExtraField, "has an extra field that is cut short"));
            };
            match id {
                ZIP64 if extra.zip64.is_some() => {
                    return Err((Fault::ExtraField, "has two ZIP64 fields"));
                }
                ZIP64 => extra.zip64 = Some(content),
                UNICODE_PATH => {
                    return Err((
                        Fault::ExtraField,
                        "has a second name in an extra field, which only some readers take",
                    ));
                }
                _ => extra.others.extend_from_slice(&before[..content.len() + 4]),
            }
        }
        Ok(extra)
    }
}
