#!/usr/bin/env python3
"""wheel-vendor, measured before and after by glibc-probe, beside `auditwheel repair`: a graft into wheels of 133 MB."""

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from functools import partial
from pathlib import Path

from measure import best, table

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rocm-bake/wheels"
SOURCE = CACHE / "jax_rocm10_pjrt-0.12.0-py3-none-manylinux_2_27_x86_64.whl"
NAME = "jax_rocm10_pjrt-0.12.0-py3-none-linux_x86_64.whl"
FOO = "int foo(void) { return 42; }"
SMALL = "int foo(void); int answer(void) { return foo(); }"


def link(out, source, *arguments):
    """Links one shared library from C."""
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", out, "-x", "c", "-", "-x", "none", *arguments],
                   input=source.encode(), check=True)


def record_row(name, content):
    """A row of RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}"


def build(wheel, folder, small):
    """The source wheel as it was built: a small member needs libfoo.so.1, or its one large library does.

    Returns the size of the largest file that has to be patched.
    """
    rows, largest = [], 0
    with zipfile.ZipFile(SOURCE) as source, zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as out:
        record = next(name for name in source.namelist() if name.endswith(".dist-info/RECORD"))
        members = {name: source.read(name) for name in source.namelist() if name != record}
        for name, content in members.items():
            if name.endswith("/WHEEL"):
                members[name] = content.replace(b"manylinux_2_27_x86_64", b"linux_x86_64")
            elif content[:4] == b"\x7fELF" and not small:
                file = folder / "large.so"
                file.write_bytes(content)
                subprocess.run(["patchelf", "--add-needed", "libfoo.so.1", file], check=True)
                members[name] = file.read_bytes()
                largest = max(largest, len(members[name]))
        if small:
            link(folder / "small.so", SMALL, folder / "lib/libfoo.so.1")
            members["jax_plugins/small.so"] = (folder / "small.so").read_bytes()
            largest = len(members["jax_plugins/small.so"])
        for name, content in members.items():
            out.writestr(name, content)
            rows.append(record_row(name, content))
        out.writestr(record, "\n".join([*rows, f"{record},,"]) + "\n")
    return largest


def excluded(wheel):
    """What glibc-probe leaves out of the verdict, as arguments for auditwheel."""
    document = subprocess.run(["glibc-probe", wheel], check=True, capture_output=True).stdout
    libraries = [one["library"] for one in json.loads(document)["wheels"][0]["platform"]["excluded"]]
    return [argument for library in libraries for argument in ("--exclude", library)]


def own_peak(command, stdin):
    """Peak resident MiB of one process without its children, which `wait4` counts in: read while it runs."""
    peak = 0
    with open(stdin, "rb") as source:
        process = subprocess.Popen(command, stdin=source, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        status = Path(f"/proc/{process.pid}/status").read_text()
        peak = max([peak, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:"))])
        time.sleep(0.01)
    if process.returncode:
        sys.exit(f"{command[0]}: exit {process.returncode}")
    return peak / 1024


def main():
    if not SOURCE.exists():
        sys.exit(f"{SOURCE} is missing: run `make fetch-demo` first")
    rows, patched_files = [], []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "lib").mkdir()
        out = folder / "out"
        clear = partial(shutil.rmtree, out, ignore_errors=True)
        link(folder / "lib/libfoo.so.1", FOO, "-Wl,-soname,libfoo.so.1")
        for small in (True, False):
            wheel = folder / ("small" if small else "large") / NAME
            wheel.parent.mkdir()
            patched = build(wheel, folder, small)
            what = "a small member needs it" if small else "the 459 MB library needs it"
            vendor = f"wheel-vendor --out '{out}' --lib-dir '{folder}/lib'"
            pipeline = ["bash", "-euo", "pipefail", "-c", f"glibc-probe '{wheel}' | {vendor} | glibc-probe"]
            measured = folder / "set.json"
            measured.write_bytes(subprocess.run(["glibc-probe", wheel], check=True, capture_output=True).stdout)
            alone = ["wheel-vendor", "--out", out, "--lib-dir", folder / "lib"]
            peer = ["auditwheel", "repair", "--wheel-dir", out, "--ldpaths", folder / "lib", *excluded(wheel), wheel]
            ours = best(pipeline, runs=3, before=clear)
            only = best(alone, runs=3, before=clear, stdin=measured)
            theirs = best(peer, runs=2, before=clear)
            clear()
            own = own_peak(alone, measured)
            for tool, cost in (("probe, vendor, probe", ours), ("wheel-vendor alone", only), ("auditwheel repair", theirs)):
                ratio = f"{theirs.cpu / cost.cpu:.1f}"
                rows.append([what, tool, f"{cost.cpu:.2f}", ratio, f"{cost.peak:.0f}"])
            rows.append([what, "wheel-vendor without its patchelf", "", "", f"{own:.0f}"])
            patched_files.append(f"{patched / (1 << 20):.0f} MiB")
    print("## Grafting a library into a wheel of 133 MB\n")
    print("The wheel is jax-rocm10-pjrt, whose one library has 459 MB; grafted is a library of a few KB. `auditwheel repair`")
    print("unpacks the wheel, measures it, and compresses all of it again; wheel-vendor inflates only what it patches, and compresses")
    print("only what changed in it. Memory is that of the largest process; patchelf reads a file whole and copies it.")
    print(f"The largest patched file has {patched_files[0]} in the first wheel and {patched_files[1]} in the second.\n")
    print(table(["wheel", "tool", "CPU s", "times less than auditwheel", "peak MiB"], rows))


if __name__ == "__main__":
    main()
