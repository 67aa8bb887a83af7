//! What inflates: zlib-rs for the content alone, `miniz_oxide` where the borders of blocks are asked for.
//!
//! zlib-rs is faster, and does not say at which bit a block ends.

use std::fmt;

use flate2::{Decompress, FlushDecompress, Status};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_STOP_ON_BLOCK_BOUNDARY,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// The state of inflating one member.
pub(super) enum Engine {
    Content(Decompress),
    Seams(Box<DecompressorOxide>),
}

/// What one step did.
#[derive(Debug)]
pub(super) struct Step {
    /// Bytes of the input that are used up.
    pub(super) took: usize,
    /// Bytes of content that were put into the output.
    pub(super) gave: usize,
    pub(super) reached: Reached,
}

/// Where a step stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reached {
    /// One of the buffers is used up.
    Buffer,
    /// A block ended, and the next begins on a whole byte.
    Seam,
    /// The stream's own end.
    End,
}

impl Engine {
    pub(super) fn for_content() -> Self {
        Self::Content(Decompress::new(false))
    }

    pub(super) fn for_seams() -> Self {
        Self::Seams(Box::default())
    }

    /// Makes it ready for another member.
    pub(super) fn reset(&mut self) {
        match self {
            Self::Content(state) => state.reset(false),
            Self::Seams(state) => state.init(),
        }
    }

    /// Inflates into `output` from `filled` on; `None` when the data is damaged.
    ///
    /// What lies before and behind `filled` is what the last 32 KiB of content are looked up in: the caller fills the same
    /// buffer from its beginning when it is full. Its length is a power of two. `last` says that no more input will come.
    pub(super) fn step(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        filled: usize,
        last: bool,
    ) -> Option<Step> {
        match self {
            Self::Content(state) => {
                let (taken, given) = (state.total_in(), state.total_out());
                let status = state
                    .decompress(input, &mut output[filled..], FlushDecompress::None)
                    .ok()?;
                Some(Step {
                    took: usize::try_from(state.total_in() - taken).ok()?,
                    gave: usize::try_from(state.total_out() - given).ok()?,
                    reached: match status {
                        Status::StreamEnd => Reached::End,
                        Status::Ok | Status::BufError => Reached::Buffer,
                    },
                })
            }
            Self::Seams(state) => {
                let more = if last { 0 } else { TINFL_FLAG_HAS_MORE_INPUT };
                let flags = TINFL_FLAG_STOP_ON_BLOCK_BOUNDARY | more;
                let (status, took, gave) = decompress(state, input, output, filled, flags);
                let reached = match status {
                    TINFLStatus::Done => Reached::End,
                    TINFLStatus::BlockBoundary
                        if state
                            .block_boundary_state()
                            .is_some_and(|block| block.num_bits == 0) =>
                    {
                        Reached::Seam
                    }
                    TINFLStatus::BlockBoundary
                    | TINFLStatus::NeedsMoreInput
                    | TINFLStatus::HasMoreOutput
                    // The input ended too early: the caller sees that nothing moved.
                    | TINFLStatus::FailedCannotMakeProgress => Reached::Buffer,
                    _ => return None,
                };
                Some(Step {
                    took,
                    gave,
                    reached,
                })
            }
        }
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Content(_) => "Engine::Content",
            Self::Seams(_) => "Engine::Seams",
        })
    }
}
