//! The other published wheels: some 450 MB, compared as the small ones are.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set up its desk has failed"
)]
#![expect(
    dead_code,
    reason = "the desk and its judges are shared with the ordinary tests, which use all of them"
)]

#[path = "../vendor/desk.rs"]
mod desk;
#[path = "../vendor/judges.rs"]
mod judges;
#[path = "../vendor/project.rs"]
mod project;
#[path = "../vendor/published.rs"]
mod published;

use published::{Case, comes_back};

const NUMPY: &str = "numpy-2.4.6-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl";

/// A function of a grafted library, called through the member that needs it: for packages whose own needs are many.
macro_rules! call {
    ($member:literal, $function:literal, $kind:literal, $arguments:literal) => {
        concat!(
            "import ctypes, glob\nfunction = ctypes.CDLL(glob.glob(site + '/",
            $member,
            "')[0]).",
            $function,
            "\nfunction.restype = ctypes.",
            $kind,
            "\nprint(function(",
            $arguments,
            "))"
        )
    };
}

const CASES: &[Case] = &[
    (
        NUMPY,
        &[],
        "import numpy; print(numpy.linalg.inv([[2.0, 1.0], [1.0, 3.0]]))",
    ),
    (
        "scipy-1.17.1-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
        &[NUMPY],
        "from scipy.linalg import eigh; print(eigh([[2.0, 1.0], [1.0, 3.0]]))",
    ),
    (
        "shapely-2.2.0-cp311-cp311-manylinux_2_24_x86_64.manylinux_2_28_x86_64.whl",
        &[NUMPY],
        "import shapely; print(shapely.geos_version, shapely.Point(0, 0).buffer(1).area)",
    ),
    (
        "h5py-3.16.0-cp311-cp311-manylinux_2_28_x86_64.whl",
        &[NUMPY],
        "import h5py; print(h5py.version.hdf5_version, h5py.h5z.filter_avail(h5py.h5z.FILTER_SZIP))",
    ),
    (
        "pyfftw-0.15.1-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.manylinux_2_28_x86_64.whl",
        &[NUMPY],
        "import pyfftw; print(pyfftw.fftw_version, pyfftw.interfaces.numpy_fft.fft([1.0, 2.0, 4.0, 8.0]))",
    ),
    (
        "opencv_python_headless-5.0.0.93-cp37-abi3-manylinux_2_28_x86_64.whl",
        &[NUMPY],
        "import cv2, numpy; print(cv2.getVersionString(), cv2.resize(numpy.eye(8), (4, 4)).sum())",
    ),
    (
        "imagecodecs-2026.3.6-cp311-abi3-manylinux_2_28_x86_64.whl",
        &[NUMPY],
        "import imagecodecs as i; print(i.zstd_decode(i.zstd_encode(b'x' * 99)), i.png_version(), i.webp_version())",
    ),
    (
        "cvxopt-1.3.3-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
        &[],
        "from cvxopt import matrix, lapack; b = matrix([1.0, 2.0]); lapack.gesv(matrix([[2.0, 1.0], [1.0, 3.0]]), b); print(b)",
    ),
    (
        "pillow-13.0.0-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
        &[],
        "import io\nfrom PIL import Image, features\nout = io.BytesIO()\nImage.new('RGB', (9, 9), 'red').save(out, 'JPEG')\n\
         print(len(out.getvalue()), [(one, features.version(one)) for one in ('jpg', 'webp', 'freetype2', 'libtiff')])",
    ),
    (
        "pycurl-7.49.0-cp311-cp311-manylinux_2_28_x86_64.whl",
        &[],
        "import pycurl; print(pycurl.version)",
    ),
    (
        "av-18.1.0-cp311-abi3-manylinux_2_28_x86_64.whl",
        &[],
        "import av; print(av.library_versions, av.codec.Codec('h264', 'r').long_name)",
    ),
    (
        "pygame-2.6.1-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
        &[],
        "import pygame, pygame.freetype; print(pygame.get_sdl_version(), pygame.Surface((9, 9)).get_size())",
    ),
    (
        "psycopg_binary-3.3.9-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
        &[],
        call!("psycopg_binary/pq*.so", "PQlibVersion", "c_int", ""),
    ),
    (
        "pymssql-2.4.6-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
        &[],
        call!("pymssql/_mssql*.so", "OpenSSL_version_num", "c_long", ""),
    ),
    (
        "tables-3.11.1-cp311-abi3-manylinux2014_x86_64.manylinux_2_17_x86_64.manylinux_2_28_x86_64.whl",
        &[],
        call!("tables/utilsextension*.so", "H5open", "c_int", ""),
    ),
    (
        "pyproj-3.7.2-cp311-cp311-manylinux_2_28_x86_64.whl",
        &[],
        call!(
            "pyproj/_transformer*.so",
            "proj_errno_string",
            "c_char_p",
            "1027"
        ),
    ),
    (
        "netcdf4-1.7.5.1.post1-cp311-abi3-manylinux_2_28_x86_64.whl",
        &[],
        call!("netCDF4/_netCDF4*.so", "nc_inq_libvers", "c_char_p", ""),
    ),
    (
        "fiona-1.10.1-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
        &[],
        call!(
            "fiona/_env*.so",
            "GDALVersionInfo",
            "c_char_p",
            "b'RELEASE_NAME'"
        ),
    ),
    (
        "rasterio-1.4.4-cp311-cp311-manylinux_2_28_x86_64.whl",
        &[],
        call!(
            "rasterio/_env*.so",
            "GDALVersionInfo",
            "c_char_p",
            "b'RELEASE_NAME'"
        ),
    ),
    (
        "pyogrio-0.13.0-cp311-abi3-manylinux_2_28_x86_64.whl",
        &[],
        call!(
            "pyogrio/_ogr*.so",
            "GDALVersionInfo",
            "c_char_p",
            "b'RELEASE_NAME'"
        ),
    ),
    (
        "scikit_learn-1.9.1-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
        &[],
        call!(
            "sklearn/utils/_openmp_helpers*.so",
            "omp_get_num_threads",
            "c_int",
            ""
        ),
    ),
];

#[test]
fn large_published_wheels_come_back_as_they_were() {
    assert!(CASES.len() >= 20);
    // All are tried: a run takes long.
    let failed: Vec<&str> = CASES
        .iter()
        .filter(|case| std::panic::catch_unwind(|| comes_back(case)).is_err())
        .map(|case| case.0)
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
}
