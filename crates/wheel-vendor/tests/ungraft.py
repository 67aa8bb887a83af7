#!/usr/bin/env python3
"""ungraft.py WHEEL OUT LIB: takes the grafted libraries out of a published wheel again.

What `auditwheel repair` did to names is undone with the patchelf on PATH: `<name>.libs/libfoo-1a2b3c4d.so.1` becomes
LIB/libfoo.so.1, and whatever needs it asks for that name, with no search path that leads to it. OUT gets the wheel as it
was built, for `linux_<machine>`. Prints its file name.
"""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

HASHED = re.compile(r"^(.*)-[0-9a-f]{8}(\..*)$")


def patchelf(file, *arguments):
    """Runs patchelf on one file and returns what it prints."""
    return subprocess.run(["patchelf", *arguments, file], check=True, capture_output=True, text=True).stdout.strip()


def is_elf(file):
    """Whether a file is an ELF file with a dynamic section; patchelf reads no other."""
    with open(file, "rb") as bytes_:
        if bytes_.read(4) != b"\x7fELF":
            return False
    return subprocess.run(["patchelf", "--print-needed", file], capture_output=True).returncode == 0


def undo(file, names, soname=None):
    """Gives the needs of one file their old names and takes the way to the grafted libraries away."""
    arguments = ["--set-soname", soname] if soname else []
    for needed in patchelf(file, "--print-needed").split():
        if needed in names and names[needed] != needed:
            arguments += ["--replace-needed", needed, names[needed]]
    ways = patchelf(file, "--print-rpath").split(":")
    kept = [way for way in ways if way and ".libs" not in way and not soname]
    if kept != ways:
        arguments += ["--force-rpath", "--set-rpath", ":".join(kept)] if kept else ["--remove-rpath"]
    if arguments:
        patchelf(file, *arguments)


def pack(folder, order, out):
    """Zips a folder, members in their old order, with a new RECORD at the end."""
    rows = []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        record = next(name for name in order if name.endswith(".dist-info/RECORD"))
        for name in order:
            file = folder / name
            if name == record or not file.is_file():
                continue
            content = file.read_bytes()
            member = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            member.external_attr = (0o100755 if content[:4] == b"\x7fELF" else 0o100644) << 16
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            quoted = f'"{name}"' if "," in name else name
            rows.append(f"{quoted},sha256={digest},{len(content)}")
        archive.writestr(zipfile.ZipInfo(record, (2020, 1, 1, 0, 0, 0)), "\n".join([*rows, f"{record},,"]) + "\n")


def main():
    wheel, out, lib = map(pathlib.Path, sys.argv[1:])
    distribution, version, python, abi, platform = wheel.stem.split("-")
    machine = re.sub(r"^manylinux(_\d+_\d+|\d+)_", "", platform.split(".")[0])
    filename = f"{distribution}-{version}-{python}-{abi}-linux_{machine}.whl"
    lib.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with zipfile.ZipFile(wheel) as archive:
            order = [name for name in archive.namelist() if "/sboms/" not in name]
            archive.extractall(folder)
        libs = sorted(file for file in folder.glob("*.libs/*") if ".so" in file.name and is_elf(file))
        names = {}
        for file in libs:
            match = HASHED.match(file.name)
            names[file.name] = match[1] + match[2] if match else file.name
        for file in libs:
            os.chmod(file, 0o755)
            undo(file, names, names[file.name])
            file.replace(lib / names[file.name])
        for file in sorted(folder.rglob("*.so*")):
            if file.is_file() and is_elf(file):
                os.chmod(file, 0o755)
                undo(file, names)
        info = next(folder.glob("*.dist-info/WHEEL"))
        text = info.read_text()
        head = [line for line in text.splitlines() if line.strip() and not line.startswith("Tag:")]
        tags = [f"Tag: {one}-{two}-linux_{machine}" for one in python.split(".") for two in abi.split(".")]
        info.write_text("\n".join([*head, *tags]) + "\n")
        pack(folder, order, out / filename)
    print(filename)


if __name__ == "__main__":
    main()
