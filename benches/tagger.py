#!/usr/bin/env python3
"""wheel-tagger on one wheel of 133 MB, beside reading, hashing and writing it, change_wheel_version, wheel tags and editwheel."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from measure import best, run, table

WHEEL = "jax_rocm10_pjrt-0.12.0-py3-none-manylinux_2_27_x86_64.whl"
VERSION = "0.12.0+rocm10.1.0"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rocm-bake/wheels"

# Reads the file once, hashes it as often as it is told, and writes it. OpenSSL hashes as fast as the processor can.
FLOOR = """
import hashlib, os, sys
hashes = [hashlib.sha256() for _ in range(int(sys.argv[1]))]
source, target = os.open(sys.argv[2], os.O_RDONLY), os.open(sys.argv[3], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
while block := os.read(source, 1 << 18):
    for each in hashes:
        each.update(block)
    while block:
        block = block[os.write(target, block):]
"""
EDIT = "import sys, editwheel; w = editwheel.WheelEditor(sys.argv[1]); w.version = sys.argv[2]; w.save(sys.argv[3])"


def main():
    wheel = CACHE / WHEEL
    if not wheel.exists():
        sys.exit(f"{wheel} is missing: run `make fetch-demo` first")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        measure(wheel, folder)


def measure(wheel, folder):
    document, out = folder / "set.json", folder / "out"
    run(["bash", "-c", f'glibc-probe "{wheel}" > "{document}"'])

    def clear():
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()

    def fresh_copy():
        clear()
        shutil.copy(wheel, out)

    copy = out / WHEEL
    python = sys.executable
    nothing = best([python, "-c", "import hashlib, os"], runs=7)
    floor = {
        hashes: best([python, "-c", FLOOR, str(hashes), wheel, out / "floor"], before=clear, runs=7) for hashes in (0, 1, 2)
    }
    ours = best(["wheel-tagger", "--rocm", "10.1.0", "--out", out, "--quiet"], stdin=document, before=clear, runs=7)
    alone = best(["wheel-tagger", "--rocm", "10.1.0", "--out", out, "--quiet", wheel], before=clear, runs=7)
    edit = best([python, "-c", EDIT, wheel, VERSION, out / "new.whl"], before=clear, runs=7)
    change = best(["change_wheel_version", copy, "--local-version", "rocm10.1.0"], runs=1, before=fresh_copy)
    base = floor[2].cpu - nothing.cpu
    one_hash = floor[2].cpu - floor[1].cpu

    def row(what, cost, cpu=None):
        cpu = cost.cpu if cpu is None else cpu
        return [what, f"{cpu:.2f}", f"{cpu / base:.2f}", f"{cost.peak:.0f}"]

    print("## wheel-tagger\n")
    print(f"One wheel of {wheel.stat().st_size / 1e6:.0f} MB, measured and its RECORD verified by the probe before.\n")
    print(table(
        ["what", "CPU s", "to the floor", "peak MiB"],
        [
            row("reading, two sha256 and writing (without Python's start): the floor", floor[2], base),
            row("wheel-tagger: METADATA, RECORD and names rewritten, both sha256", ours),
            row("wheel-tagger, less one sha256", ours, ours.cpu - one_hash),
            row("editwheel 0.3.2, no sha256 (without Python's start)", edit, edit.cpu - nothing.cpu),
            row("wheel-tagger on a file that nobody verified: inflates it once more", alone),
            row("change_wheel_version 0.6.0", change),
        ],
    ))
    print(f"\nchange_wheel_version takes {change.cpu / ours.cpu:.0f} times the CPU and {change.peak / ours.peak:.0f} times the memory of wheel-tagger.")


if __name__ == "__main__":
    main()
