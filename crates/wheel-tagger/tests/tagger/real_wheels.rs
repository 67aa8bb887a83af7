//! Published ROCm wheels: the members that do not change are the same bytes inside the zip.

use std::fs;
use std::path::Path;

use crate::desk::{Desk, cached, judged, oracle, text};

const MAKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/make_cases.py");

/// What is wrong with a rewritten wheel, told by the checker of the cases.
fn faults(old: &Path, new: &Path) -> String {
    let program =
        "import runpy, sys; print(runpy.run_path(sys.argv[1])['faults'](sys.argv[2], sys.argv[3]))";
    judged(
        oracle("python")
            .args(["-c", program, MAKE])
            .arg(old)
            .arg(new),
    )
}

#[test]
fn published_wheels_are_rewritten_and_nothing_else_of_them_changes() {
    for (filename, version) in [
        (
            "cupy_rocm_7_0-14.2.0-cp314-cp314-manylinux2014_x86_64.whl",
            "14.2.0+rocm10.1.0",
        ),
        (
            "jax_rocm10_pjrt-0.12.0-py3-none-manylinux_2_27_x86_64.whl",
            "0.12.0+rocm10.1.0",
        ),
        (
            "jax_rocm10_plugin-0.12.0-cp314-cp314-manylinux_2_27_x86_64.whl",
            "0.12.0+rocm10.1.0",
        ),
        (
            "pyg_lib_rocm-0.8.0.post2-cp314-cp314-manylinux_2_32_x86_64.whl",
            "0.8.0.post2+rocm10.1.0",
        ),
        (
            "torch_scatter_rocm-2.1.2.post7-cp314-cp314-manylinux_2_32_x86_64.whl",
            "2.1.2.post7+rocm10.1.0",
        ),
        (
            "sglang_kernel_rdna3-0.4.6.post1-cp312-cp312-manylinux_2_34_x86_64.whl",
            "0.4.6.post1+rocm10.1.0",
        ),
        (
            "gafime_rocm-0.4.7-cp314-cp314-manylinux_2_28_x86_64.whl",
            "0.4.7+rocm10.1.0",
        ),
        (
            "openmm_hip_7-8.6.1-py3-none-manylinux_2_34_x86_64.whl",
            "8.6.1+rocm10.1.0",
        ),
        (
            "amd_aiter-0.1.7.post2.dev18-py3-none-any.whl",
            "0.1.7.post2.dev18",
        ),
    ] {
        let desk = Desk::new();
        let old = cached(filename);
        let ran = desk
            .run(
                &["--rocm", "10.1.0", "--out", "out", "--quiet", &text(&old)],
                "",
            )
            .succeeded();
        let wheel = ran.document()["wheels"][0].clone();
        assert_eq!(wheel["version"], version, "{filename}");
        let new = desk.path("out").join(wheel["filename"].as_str().unwrap());
        if version.contains("rocm") {
            assert_eq!(faults(&old, &new), "[]\n", "{filename}");
        } else {
            assert!(
                fs::read(&old).unwrap() == fs::read(&new).unwrap(),
                "{filename}"
            );
        }
    }
}
