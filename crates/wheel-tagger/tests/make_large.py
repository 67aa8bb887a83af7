#!/usr/bin/env python3
"""make_large.py DIR: a wheel of 4.7 GB as torch's are, and the document that describes it, on stdout.

One member is larger than 4 GiB, others start behind 4 GiB, and 13,000 small ones stand in front. The big one is stored
zeros; its local header has the ZIP64 field of the directory, 8 bytes beside real sizes, on the members behind it, as
published torch wheels of 5.8 GB had it."""
import base64
import hashlib
import json
import os
import struct
import sys
import zlib

NAME = "demo_torch-2.15.0a0+git31a77fc-cp314-cp314-linux_x86_64.whl"
DI = "demo_torch-2.15.0a0+git31a77fc.dist-info"
BIG = (4 << 30) + (300 << 20)
F32 = 0xFFFFFFFF


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, NAME)
    whole, directory, rows = hashlib.sha256(), bytearray(), []
    block = bytes(1 << 20)
    with open(path, "wb") as out:
        def put(data):
            out.write(data); whole.update(data)

        def member(name, data=None, size=0):
            raw, offset = name.encode(), out.tell()
            if data is None:
                crc, digest = 0, hashlib.sha256()
                for _ in range(size >> 20):
                    crc = zlib.crc32(block, crc); digest.update(block)
            else:
                crc, size, digest = zlib.crc32(data), len(data), hashlib.sha256(data)
            wide = size >= F32
            extra = struct.pack("<HHQQ", 1, 16, size, size) if wide else b""
            if offset >= F32 and not wide:
                extra = struct.pack("<HHQ", 1, 8, offset)
            narrow = F32 if wide else size
            put(struct.pack("<4s5H3L2H", b"PK\3\4", 45 if extra else 20, 0, 0, 0x6000, 0x5D7E, crc, narrow, narrow, len(raw),
                            len(extra)) + raw + extra)
            if data is None:
                for _ in range(size >> 20):
                    put(block)
            else:
                put(data)
            fields = ([size, size] if wide else []) + ([offset] if offset >= F32 else [])
            extra = struct.pack(f"<HH{len(fields)}Q", 1, 8 * len(fields), *fields) if fields else b""
            directory.extend(struct.pack(
                "<4s6H3L5H2L", b"PK\1\2", 0x0314, 45 if extra else 20, 0, 0, 0x6000, 0x5D7E, crc, narrow, narrow, len(raw),
                len(extra), 0, 0, 0, 0o100644 << 16, min(offset, F32)) + raw + extra)
            hashed = "sha256=" + base64.urlsafe_b64encode(digest.digest()).rstrip(b"=").decode()
            rows.append(f"{name},{hashed},{size}")

        for number in range(13_000):
            member(f"demo_torch/include/ATen/ops/kernel_of_some_length_{number:05}.h", b"#pragma once\n")
        member("demo_torch/__init__.py", b"x = 1\n")
        member("demo_torch/lib/libtorch_hip.so", size=BIG)
        member("demo_torch/lib/behind.so", bytes(range(256)) * 4096)
        member(f"{DI}/METADATA", b"Metadata-Version: 2.1\nName: demo-torch\nVersion: 2.15.0a0+git31a77fc\n")
        member(f"{DI}/WHEEL", b"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp314-cp314-linux_x86_64\n")
        member(f"{DI}/RECORD", ("\n".join(rows) + f"\n{DI}/RECORD,,\n").encode())
        start, count = out.tell(), len(rows)
        put(bytes(directory))
        put(struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 0x032D, 45, 0, 0, count, count, len(directory), start))
        put(struct.pack("<4sLQL", b"PK\6\7", 0, start + len(directory), 1))
        put(struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(directory), F32, 0))
        size = out.tell()
    verdict = dict(tag="linux_x86_64", symbols_tag="linux_x86_64", machine="x86_64", libc="glibc",
                   required={"GLIBC": "2.43"}, external=[], excluded=[], findings=[])
    wheel = dict(path=path, filename=NAME, name="demo-torch", version="2.15.0a0+git31a77fc",
                 tags=["cp314-cp314-linux_x86_64"], size=size, sha256=whole.hexdigest(), record="verified",
                 platform=verdict, device=dict(kind="none", targets=[], common=[], members=[]))
    json.dump({"schema": "wheel-set/1", "wheels": [wheel]}, sys.stdout)


if __name__ == "__main__":
    main()
