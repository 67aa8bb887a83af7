#!/usr/bin/env python3
"""fetch.py SET... : real wheels, pinned by name, size and sha256 in tests/data/wheels.tsv, into a cache.

The cache is ${XDG_CACHE_HOME:-~/.cache}/rocm-bake/wheels, outside the checkout. What is there with the right hash is
not fetched again; a wrong hash is an error. pip fetches, from whatever index the user's pip is configured for.
"""
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "tests/data/wheels.tsv"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "rocm-bake/wheels"


def rows(sets):
    """The table's rows of the wanted sets, as dictionaries."""
    lines = [line for line in TABLE.read_text().splitlines() if line and not line.startswith("#")]
    head = lines[0].split("\t")
    table = [dict(zip(head, line.split("\t"), strict=True)) for line in lines[1:]]
    unknown = sets - {row["set"] for row in table}
    if unknown:
        sys.exit(f"fetch.py: no such set: {', '.join(sorted(unknown))}")
    return [row for row in table if row["set"] in sets]


def sha256(path):
    """Lower-case hex sha256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def selection(filename):
    """pip's flags that make exactly this file a candidate, whatever machine and Python we run on."""
    _, _, python, abi, platform = filename.removesuffix(".whl").rsplit("-", 4)
    flags = ["--implementation", python[:2] if python[:2] in ("cp", "pp") else "py"]
    version = python.split(".")[-1].removeprefix("cp").removeprefix("pp").removeprefix("py")
    flags += ["--python-version", version[0] + ("." + version[1:] if version[1:] else "")]
    for one in abi.split("."):
        flags += ["--abi", one]
    for one in platform.split("."):
        flags += ["--platform", one] if one != "any" else []
    return flags


def fetch(row):
    """Downloads one wheel beside its place and moves it there once its hash is right."""
    filename = row["filename"]
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=CACHE) as folder:
        pin = pathlib.Path(folder) / "pin.txt"
        pin.write_text(f"{row['project']}=={row['version']} --hash=sha256:{row['sha256']}\n")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
                   "--no-cache-dir", "--disable-pip-version-check", "--ignore-requires-python", "--require-hashes", "--dest", folder,
                   *selection(filename), "--requirement", str(pin)]
        result = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        got = pathlib.Path(folder) / filename
        if result.returncode or not got.exists():
            reason = (result.stderr.strip().splitlines() or ["pip brought another file"])[-1]
            sys.exit(f"fetch.py: {filename}: {reason}; is the package index reachable that pip is configured for?")
        if sha256(got) != row["sha256"] or got.stat().st_size != int(row["size"]):
            sys.exit(f"fetch.py: {filename}: the index sent other bytes than tests/data/wheels.tsv pins")
        got.replace(CACHE / filename)


def main():
    CACHE.mkdir(parents=True, exist_ok=True)
    wanted = rows(set(sys.argv[1:]))
    missing = []
    for row in wanted:
        path = CACHE / row["filename"]
        if path.exists() and sha256(path) != row["sha256"]:
            print(f"fetch.py: {path}: wrong sha256 in the cache; fetching it again", file=sys.stderr)
            path.unlink()
        if not path.exists():
            missing.append(row)
    for number, row in enumerate(missing, 1):
        size = int(row["size"]) / 1e6
        print(f"fetching {number} of {len(missing)}: {row['filename']} ({size:.1f} MB)", file=sys.stderr, flush=True)
        fetch(row)
    print(f"{len(wanted)} wheels in {CACHE}, {len(missing)} of them fetched now", file=sys.stderr)


if __name__ == "__main__":
    main()
