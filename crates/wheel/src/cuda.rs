//! Names of distributions that bring CUDA: what must not come into a ROCm environment.
//!
//! The list is `data/cuda-names.tsv`. It judges names only; that a distribution of ours came from
//! elsewhere is told by its address and hash, not by its name.

use crate::ProjectName;

/// The list itself, so that its test and its readers see the same bytes.
const NAMES: &str = include_str!("../data/cuda-names.tsv");

/// Why a name was taken for one that brings CUDA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CudaName {
    /// The pattern that it fits.
    pub pattern: &'static str,
    /// Why the pattern is on the list.
    pub reason: &'static str,
}

/// Whether a distribution of this name brings CUDA, and by which pattern; `None` when it does not or
/// is an exception.
#[must_use]
pub fn cuda_name(name: &ProjectName) -> Option<CudaName> {
    if allowed_name(name).is_some() {
        return None;
    }
    entries()
        .filter(|(pattern, _)| !pattern.starts_with('!'))
        .find(|(pattern, _)| fits(pattern.as_bytes(), name.as_str().as_bytes()))
        .map(|(pattern, reason)| CudaName { pattern, reason })
}

/// The exception that lets a name pass that looks like CUDA.
#[must_use]
pub fn allowed_name(name: &ProjectName) -> Option<CudaName> {
    entries()
        .filter_map(|(pattern, reason)| Some((pattern.strip_prefix('!')?, reason)))
        .find(|(pattern, _)| fits(pattern.as_bytes(), name.as_str().as_bytes()))
        .map(|(pattern, reason)| CudaName { pattern, reason })
}

fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    NAMES
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
}

/// `*` takes any run, `#` one or more digits; patterns are short, so plain backtracking will do.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => (0..=name.len()).any(|skip| fits(rest, &name[skip..])),
        Some((b'#', rest)) => {
            let digits = name.iter().take_while(|byte| byte.is_ascii_digit()).count();
            (1..=digits).any(|skip| fits(rest, &name[skip..]))
        }
        Some((byte, rest)) => name.first() == Some(byte) && fits(rest, &name[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> ProjectName {
        ProjectName::new(text).unwrap()
    }

    #[test]
    fn cuda_packages_are_known_by_name() {
        for text in [
            "nvidia-cublas-cu13",
            "cuda-bindings",
            "cuda-toolkit",
            "nixl-cu12",
            "cupy-cuda13x",
            "jax-cuda13-plugin",
            "jax-cuda13-pjrt",
            "onnxruntime-gpu",
            "cudf-cu13",
            "tensorrt",
        ] {
            assert!(cuda_name(&name(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn others_are_not() {
        for text in [
            "torch",
            "triton",
            "nixl",
            "nixl-rocm",
            "cupy",
            "cupy-rocm-7-0",
            "jax-rocm10-plugin",
            "barracuda",
            "nvidia-ml-py",
            "acu12",
            "onnxruntime-rocm",
            "numpy",
            "flashlight",
        ] {
            assert_eq!(cuda_name(&name(text)), None, "{text}");
        }
    }

    #[test]
    fn every_line_of_the_list_has_a_reason() {
        for line in NAMES.lines().filter(|line| !line.starts_with('#')) {
            let (pattern, reason) = line.split_once('\t').expect(line);
            assert!(!pattern.is_empty() && reason.len() > 10, "{line}");
        }
        assert!(allowed_name(&name("nvidia-ml-py")).is_some());
    }
}
