#!/usr/bin/env python3
"""glibc-probe beside `auditwheel show`, and beside the floor: a program that inflates, checks and hashes the same
members and the file, and does nothing else (crates/glibc-probe/examples/probe_floor.rs)."""

import os
import pathlib
import subprocess

from measure import best, table

ROOT = pathlib.Path(__file__).resolve().parents[1]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "rocm-bake/wheels"
# Many members; one huge library; GPU code; loose code objects; many dynamic symbols, where auditwheel is slowest.
WHEELS = ["torch-2.15.0-cp311", "cupy_rocm_7_0-14.2.0", "jax_rocm10_pjrt-0.12.0", "amd_aiter-0.1.7", "scipy-1.18.1", "triton-3.8.0", "flydsl-0.1.5"]


def main():
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet", "--package", "glibc-probe", "--example", "probe_floor"], cwd=ROOT, check=True)
    floor = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release/examples/probe_floor"
    speed, threads = [], []
    for prefix in WHEELS:
        found = sorted(CACHE.glob(f"{prefix}*.whl"))
        if not found:
            continue
        wheel = found[0]
        probe = ["glibc-probe", "--no-default-excludes", "--quiet", "-j", "1", wheel]
        # A GPU-only wheel is a no of auditwheel's (exit 1); it has read it all the same.
        theirs = best(["auditwheel", "show", wheel], runs=1, ok=(0, 1))
        bare = best([floor, wheel])
        ours = best(probe)
        quick = best([*probe, "--no-verify-record"])
        two = min((best([*probe[:4], "2", wheel], runs=1).wall for _ in range(3)))
        one = min((best(probe, runs=1).wall for _ in range(3)))
        name = "-".join(wheel.name.split("-")[:2])
        speed.append([
            name, f"{wheel.stat().st_size / 1e6:.0f}", f"{bare.cpu:.2f}", f"{ours.cpu:.2f}", f"{ours.cpu / bare.cpu:.2f}",
            f"{theirs.cpu:.2f}", f"{theirs.cpu / ours.cpu:.1f}", f"{quick.cpu:.2f}", f"{theirs.cpu / quick.cpu:.1f}",
            f"{ours.peak:.0f}", f"{theirs.peak:.0f}",
        ])
        threads.append([name, f"{one:.2f}", f"{two:.2f}", f"{one / two:.2f}"])
    print("## glibc-probe\n")
    print("CPU seconds of the floor, of glibc-probe on one thread with RECORD verified (and as a multiple of the floor), of `auditwheel show`,")
    print("which verifies nothing and unpacks to a temporary folder (and as a multiple of ours); then ours with `--no-verify-record`. Peak memory in MiB.\n")
    print(table(["wheel", "MB", "floor", "ours", "× floor", "auditwheel", "× ours", "no RECORD", "× that", "MiB", "auditwheel MiB"], speed))
    print("\nWall seconds on one thread and on two; a wheel of one large library cannot be shared out.\n")
    print(table(["wheel", "one thread", "two threads", "times faster"], threads))


if __name__ == "__main__":
    main()
