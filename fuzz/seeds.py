#!/usr/bin/env python3
"""seeds.py FOLDER : one small sound input of each kind for every fuzzer, written anew.

What a fuzzer reaches by itself depends on where it starts: a valid file of each format is worth hours.
"""
import io
import lzma
import pathlib
import struct
import sys
import zipfile
import zlib

MACH = {"gfx942": 0x54C, "gfx950": 0x54F, "gfx1100": 0x41}


def code_object(target):
    """An ELF header of machine 224 and nothing else."""
    return struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01\x40\x03", 3, 224, 1, 0, 0, 0, MACH[target], 64, 0, 0, 0, 0, 0)


def bundle(*targets):
    """An offload bundle with an entry for the host and one for each target."""
    entries = [("host-x86_64-unknown-linux-gnu-", b"")]
    entries += [(f"hipv4-amdgcn-amd-amdhsa--{target}", code_object(target)) for target in targets]
    table = 32 + sum(24 + len(name) for name, _ in entries)
    out, at, code = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries)), table, b""
    for name, body in entries:
        out += struct.pack("<QQQ", at, len(body), len(name)) + name.encode()
        at, code = at + len(body), code + body
    return out + code


def zstd(raw):
    """A zstd frame of one block that is stored as it is."""
    return b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(raw)) + (len(raw) << 3 | 1).to_bytes(3, "little") + raw


def ccob(version, method, raw):
    """A compressed bundle."""
    data = zstd(raw) if method else zlib.compress(raw)
    head = {1: struct.pack("<I", len(raw)), 2: struct.pack("<II", 24 + len(data), len(raw)), 3: struct.pack("<QQ", 32 + len(data), len(raw))}
    return b"CCOB" + struct.pack("<HH", version, method) + head[version] + bytes(8) + data


def aks2(*targets):
    """An AOTriton pack."""
    directory, images = b"", b""
    for target in targets:
        name = f"attn_fwd--Arch_{target}\0".encode()
        directory += struct.pack("<5I", 0, 64, len(images), 64, len(name)) + name
        images += code_object(target)
    raw = directory + images
    packed = lzma.compress(raw, filters=[{"id": lzma.FILTER_LZMA2, "preset": 6}])
    return b"AKS2" + struct.pack("<3I", len(raw), len(targets), len(directory)) + packed


def kpack(*targets):
    """A kernel archive; its table of contents is MessagePack."""
    text = lambda word: bytes([0xA0 | len(word)]) + word.encode()
    kernels = b"".join(text(target) + b"\x81" + text("original_size") + b"\x09" for target in targets)
    toc = b"\x82" + text("gfx_arches") + bytes([0x90 | len(targets)]) + b"".join(map(text, targets))
    toc += text("toc") + b"\x81" + text("lib/a.so") + bytes([0x80 | len(targets)]) + kernels
    return b"KPAK" + struct.pack("<IQ", 1, 64) + bytes(48) + toc


def library(sections=(), dynamic=True):
    """A host library: one segment over everything, a dynamic table with a version need, sections."""
    strings = b"\0libc.so.6\0GLIBC_2.38\0memcpy\0deflateInit_\0"
    need = struct.pack("<HHIII", 1, 1, 1, 16, 0) + struct.pack("<IHHII", 0, 0, 2, 11, 0)
    symbols = bytes(24) + struct.pack("<IBBHQQ", 22, 0x12, 0, 0, 0, 0) + struct.pack("<IBBHQQ", 29, 0x12, 0, 0, 0, 0)
    versions = struct.pack("<HHH", 0, 2, 0)
    parts, at = {}, 64 + 2 * 56
    for name, body in [("str", strings), ("need", need), ("sym", symbols), ("ver", versions)]:
        at = (at + 7) & ~7
        parts[name], at = (at, body), at + len(body)
    at = (at + 7) & ~7
    table = [(1, 1), (5, parts["str"][0]), (10, len(strings)), (6, parts["sym"][0]), (11, 24), (0x6FFFFFFE, parts["need"][0]),
             (0x6FFFFFFF, 1), (0x6FFFFFF0, parts["ver"][0]), (0, 0)] if dynamic else [(0, 0)]
    parts["dyn"] = (at, b"".join(struct.pack("<QQ", tag, value) for tag, value in table))
    end = at + len(parts["dyn"][1])
    named, names = [], b"\0"
    for name, body in sections:
        named.append((len(names), end, len(body)))
        names += name.encode() + b"\0"
        parts[name], end = (end, body), end + len(body)
    named.append((len(names), end, len(names) + 10))
    names += b".shstrtab\0"
    parts["names"] = (end, names)
    table_at = (end + len(names) + 7) & ~7
    headers = bytes(64) + b"".join(struct.pack("<IIQQQQIIQQ", name, 1, 0, 0, where, size, 0, 0, 1, 0) for name, where, size in named)
    head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 3, 62, 1, 0, 64, table_at, 0, 64, 56, 2, 64, len(named) + 1, len(named))
    where, body = parts["dyn"]
    head += struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, table_at, table_at, 4096)
    head += struct.pack("<IIQQQQQQ", 2, 6, where, where, where, len(body), len(body), 8)
    out = bytearray(table_at)
    out[: len(head)] = head
    for where, body in parts.values():
        out[where : where + len(body)] = body
    return bytes(out) + headers


METADATA = b"""Metadata-Version: 2.4
Name: demo
Version: 1.0
Requires-Python: >=3.10
Requires-Dist: numpy<3,>=1.22; python_version < "3.14" and extra == 'all'
Requires-Dist: torch (==2.15.0)
Requires-Dist: x @ file:///x.whl
Provides-Extra: all
License: first
 second line

Description: not a header
"""


def wheel(method):
    """A wheel with a RECORD that is wrong, which only its check may notice."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, body in [
            ("demo/__init__.py", b"x = 1\n" * 20),
            ("demo-1.0.dist-info/METADATA", METADATA),
            ("demo-1.0.dist-info/WHEEL", b"Wheel-Version: 1.0\nGenerator: demo\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
            ("demo-1.0.dist-info/RECORD", b"demo/__init__.py,sha256=AAAA,120\ndemo-1.0.dist-info/RECORD,,\n"),
        ]:
            archive.writestr(zipfile.ZipInfo(name), body, compress_type=method)
    return out.getvalue()


def main():
    both = bundle("gfx942", "gfx950")
    wrapper = b"FPIH\x01\0\0\0" + bytes(16)
    device = [code_object("gfx950"), both, aks2("gfx1100"), kpack("gfx942"), b"MZ" + both + wrapper]
    device += [ccob(version, method, both) for version in (1, 2, 3) for method in (0, 1)]
    device.append(library([(".hip_fatbin", both + ccob(3, 1, both)), (".hipFatBinSegment", wrapper * 2)]))
    seeds = {
        "device": [b"\xff" + body for body in device],
        "elf": [b"\xff" + body for body in (library(), library([(".data", b"x")]), library(dynamic=False), code_object("gfx942"))],
        "metadata": [METADATA, METADATA.replace(b"\n", b"\r\n")],
        "archive": [wheel(zipfile.ZIP_DEFLATED), wheel(zipfile.ZIP_STORED)],
    }
    for target, bodies in seeds.items():
        folder = pathlib.Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        for number, body in enumerate(bodies):
            (folder / f"seed-{number}").write_bytes(body)


if __name__ == "__main__":
    main()
