#!/usr/bin/env python3
"""Small adversarial wheels for wheel-tagger, and a checker for what it wrote.

  make_cases.py make DIR            write the wheels and DIR/expected.json
  make_cases.py check DIR OUT       judge OUT/ (rewritten wheels) against expected.json:
                                    OUT/<case id>/*.whl for a rewrite or keep, nothing for a refusal
Standard library only; the same bytes on every run (own zip writer, fixed times). Everything is marked,
pure Python too.
The mark used throughout is rocm10.1.0.
"""
import base64
import csv
import hashlib
import io
import json
import os
import re
import struct
import sys
import zipfile
import zlib

MARK = "rocm10.1.0"
DOS_DATE, DOS_TIME = (2026 - 1980) << 9 | 11 << 5 | 9, 12 << 11 | 34 << 5 | 56 // 2
REG, EXE, LNK = 0o100644, 0o100755, 0o120777


def b64(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def deflate(data, level=9):
    c = zlib.compressobj(level, zlib.DEFLATED, -15)
    return c.compress(data) + c.flush()


class Member:
    """One zip entry; every knob an adversary turns is a field here."""

    def __init__(self, name, data=b"", mode=REG, method=8, level=9, flags=0, descriptor=False, zip64=False,
                 local_extra=b"", comment=b""):
        self.name, self.data, self.mode, self.method = name, data, mode, method
        self.level, self.flags, self.descriptor, self.zip64 = level, flags, descriptor, zip64
        self.local_extra, self.comment = local_extra, comment


def write_zip(members, comment=b"", prefix=b"", zip64_end=False):
    """Offsets count from the first local header, so a prefix is junk that readers must skip or refuse."""
    out, cd = bytearray(), bytearray()
    for m in members:
        raw = m.name.encode("utf-8")
        flags = m.flags | (0 if m.name.isascii() else 0x800) | (8 if m.descriptor else 0)
        body = deflate(m.data, m.level) if m.method == 8 else m.data
        if m.flags & 1:  # the flag and the 12 byte header of the old cipher; the content is not really enciphered
            body = bytes(12) + body
        crc, size, csize, off = zlib.crc32(m.data), len(m.data), len(body), len(out)
        ver = 45 if m.zip64 else 20
        lcrc, lsize, lcsize = (0, 0, 0) if m.descriptor else (crc, size, csize)
        extra = m.local_extra
        if m.zip64:
            extra = struct.pack("<HHQQ", 1, 16, size, csize)
            lsize = lcsize = 0xFFFFFFFF
        out += struct.pack("<4s5H3L2H", b"PK\3\4", ver, flags, m.method, DOS_TIME, DOS_DATE,
                           lcrc, lcsize, lsize, len(raw), len(extra)) + raw + extra + body
        if m.descriptor:
            out += struct.pack("<4s3L", b"PK\7\10", crc, csize, size)
        cextra = struct.pack("<HHQQQ", 1, 24, size, csize, off) if m.zip64 else b""
        f32 = 0xFFFFFFFF
        cd += struct.pack("<4s6H3L5H2L", b"PK\1\2", 3 << 8 | ver, ver, flags, m.method, DOS_TIME, DOS_DATE,
                          crc, f32 if m.zip64 else csize, f32 if m.zip64 else size, len(raw), len(cextra),
                          len(m.comment), 0, 0, m.mode << 16, f32 if m.zip64 else off) + raw + cextra + m.comment
    start, n = len(out), len(members)
    if zip64_end:
        end = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 3 << 8 | 45, 45, 0, 0, n, n, len(cd), start)
        end += struct.pack("<4sLQL", b"PK\6\7", 0, start + len(cd), 1)
        end += struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, len(comment))
    else:
        end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, n, n, len(cd), start, len(comment))
    return prefix + bytes(out) + bytes(cd) + end + comment


def metadata(name, version, extra=(), body=b"A test wheel.\n", eol=b"\n", version_line=None):
    lines = [b"Metadata-Version: 2.4", b"Name: " + name.encode(),
             version_line or b"Version: " + version.encode(), b"Summary: a test wheel"]
    lines += [e if isinstance(e, bytes) else e.encode() for e in extra]
    return eol.join(lines) + eol + eol + body


def record(rows, own, eol="\n", tweak=None):
    s = io.StringIO()
    w = csv.writer(s, lineterminator=eol)
    for name, data in rows:
        w.writerow([name, b64(data), len(data)])
    w.writerow([own, "", ""])
    text = s.getvalue()
    return (tweak(text) if tweak else text).encode("utf-8")


def wheel(name, version, tags, *, di_name=None, build=None, files=None, meta=None, record_tweak=None, record_eol="\n",
          extra_members=(), purelib=None, unlisted=(), after=(), method=8, **zipargs):
    """(file name, bytes) of a wheel; keyword arguments bend it."""
    di = f"{di_name or name}-{version}.dist-info"
    pys, abis, plats = (t.split(".") for t in tags.split("-"))
    tag_lines = "".join(f"Tag: {p}-{a}-{q}\n" for p in pys for a in abis for q in plats)
    pure = tags.endswith("any") if purelib is None else purelib
    whl = (f"Wheel-Version: 1.0\nGenerator: make_cases (1)\nRoot-Is-Purelib: {str(pure).lower()}\n{tag_lines}"
           + (f"Build: {build}\n" if build else "")).encode()
    members = files if files is not None else [Member(f"{name.lower()}/__init__.py", f"__version__ = {version!r}\n".encode(),
                                                      method=method)]
    members = list(members) + list(extra_members)
    dist = [Member(f"{di}/METADATA", meta or metadata(name, version), method=method),
            Member(f"{di}/WHEEL", whl, method=method)]
    rows = [(m.name, m.data) for m in members + dist if m.name not in unlisted and not m.name.endswith("/")]
    rec = Member(f"{di}/RECORD", record(rows, f"{di}/RECORD", record_eol, record_tweak), method=method)
    everything = members + dist + [rec] + list(after)
    fname = "-".join([name, version] + ([str(build)] if build else []) + [tags]) + ".whl"
    return fname, write_zip(everything, **zipargs)


CASES = []


def case(cid, made, action, to=None, error=None, note=""):
    CASES.append(dict(id=cid, file=made[0], data=made[1], action=action, to=to, error=error, note=note))


LIN = "cp314-cp314-linux_x86_64"
SO = bytes(range(256)) * 8


def build_cases():
    w = wheel
    case("01-build-tag-dev", w("demo_build", "0.1.29.dev0+g0f1e2d3.d20261109", LIN, build="7local"), "rewrite",
         f"demo_build-0.1.29.dev0+g0f1e2d3.d20261109.{MARK}-7local-{LIN}.whl",
         note="build tag stays between version and tags; WHEEL untouched; mark appended after three segments")
    case("02-marked", w("demo_marked", f"1.0+{MARK}", LIN), "keep", f"demo_marked-1.0+{MARK}-{LIN}.whl",
         note="idempotent: same bytes out, exit 0")
    case("03-upstream-rocm", w("demo_up", "0.33.0+rocm101", LIN), "keep", f"demo_up-0.33.0+rocm101-{LIN}.whl",
         note="upstream's own mark: never add a second one")
    case("04-git-hash", w("demo_git", "2.15.0a0+git31a77fc", LIN, meta=metadata(
        "demo-git", "2.15.0a0+git31a77fc", ["Requires-Dist: demo-triton==3.9.0+gitaad2a60d"])),
         "rewrite", f"demo_git-2.15.0a0+git31a77fc.{MARK}-{LIN}.whl",
         note="append, never replace; demo-triton is not in the set: its Requires-Dist bytes stay, and the strict local pin is reported")
    case("05-data-dir", w("demo_data", "1.0", LIN, files=[
        Member("demo_data/__init__.py", b""), Member("demo_data/lib.so", SO, EXE),
        Member("demo_data/odd, \"name\".txt", b"csv quoting\n"),
        Member("demo_data-1.0.data/", b"", 0o040755, method=0), Member("demo_data-1.0.data/scripts/", b"", 0o040755, method=0),
        Member("demo_data-1.0.data/scripts/demo-data", b"#!python\nprint('ok')\n", EXE),
        Member("demo_data/demo_data-1.0.data/y.txt", b"not the data directory: not at the top\n"),
        Member("demo_data-1.0.data/data/share/demo_data-1.0.data/x.txt", b"nor is the inner one of these two\n")]),
         "rewrite", f"demo_data-1.0+{MARK}-{LIN}.whl",
         note="only the top directory demo_data-1.0.data is renamed (and its RECORD rows); 0755 survives; directory entries survive")
    crlf_body = b"Version: 9.9\r\nVersion: 8.8\r\n\r\nlast line without end"
    case("07-crlf", w("demo_crlf", "1.0", "py3-none-any", record_eol="\r\n", meta=metadata(
        "demo-crlf", "1.0", [b"Author: first\r\n        Version: 7.7"], crlf_body, b"\r\n")), "rewrite",
         f"demo_crlf-1.0+{MARK}-py3-none-any.whl",
         note="CRLF kept; a folded header and the body both contain 'Version:' and stay as they are; CRLF RECORD parses")
    case("08-latin1-body", w("demo_latin", "1.0", "py3-none-any", meta=metadata(
        "demo-latin", "1.0", ["License: gr\u00fcn"], b"gr\xfcn \x00\xff not UTF-8\nFrom here\n",
        version_line=b"version:\t1.0 ")), "rewrite", f"demo_latin-1.0+{MARK}-py3-none-any.whl",
         note="non-UTF-8 body kept byte for byte; header name in lower case, tab before and blank after the value")
    case("09-record-missing", w("demo_recmiss", "1.0", "py3-none-any", extra_members=[Member("demo_recmiss/extra.py", b"x=1\n")],
                                unlisted=("demo_recmiss/extra.py",)), "refuse", error="record.unlisted-member")
    case("10-record-hash", w("demo_rechash", "1.0", "py3-none-any", record_tweak=lambda t: re.sub(
        r"sha256=.", lambda m: "sha256=" + ("A" if m[0][-1] != "A" else "B"), t, count=1)), "refuse", error="record.hash-mismatch")
    case("11-duplicate", w("demo_dup", "1.0", "py3-none-any", after=[Member("demo_dup/__init__.py", b"evil = 1\n")]),
         "refuse", error="zip.duplicate-member")
    case("12-traversal", w("demo_trav", "1.0", "py3-none-any", extra_members=[Member("../escaped.py", b"x=1\n")]),
         "refuse", error="member.path-escape")
    case("14-symlink", w("demo_link", "1.0", LIN, extra_members=[Member("demo_link/libx.so", b"libx.so.1", LNK)]),
         "refuse", error="member.symlink", note="a RECORD row exists; installers write the target text as a file")
    case("15-zip64", w("demo_z64", "1.0", LIN, files=[Member("demo_z64/__init__.py", b"x=1\n", zip64=True),
                                                     Member("demo_z64/lib.so", SO, EXE, method=0, zip64=True)], zip64_end=True),
         "rewrite", f"demo_z64-1.0+{MARK}-{LIN}.whl", note="zip64 extras and end records on small members; one stored")
    case("16-prefix-junk", w("demo_junk", "1.0", "py3-none-any", prefix=b"#!/bin/sh\nexit 1\n"), "refuse", error="zip.leading-bytes")
    case("17-zip-comment", w("demo_note", "1.0", "py3-none-any", comment=b"built by runner 7"), "rewrite",
         f"demo_note-1.0+{MARK}-py3-none-any.whl", note="a plain end comment is legal; PyPI takes it")
    case("19-version-mismatch", w("demo_vers", "1.0+cu130", LIN, meta=metadata("demo-vers", "1.0")), "refuse",
         error="wheel.version-mismatch", note="file name and directory say 1.0+cu130, METADATA says 1.0 (seen in the wild)")
    case("20-encrypted", w("demo_enc", "1.0", "py3-none-any", extra_members=[Member("demo_enc/s.py", b"x=1\n", flags=1)]),
         "refuse", error="zip.encrypted")
    jws = b'{"payload":"e30","signatures":[]}'
    case("22-record-jws", w("demo_jws", "1.0", "py3-none-any", after=[Member("demo_jws-1.0.dist-info/RECORD.jws", jws)]),
         "rewrite", f"demo_jws-1.0+{MARK}-py3-none-any.whl", note="signature dropped (it no longer holds) and said so; never listed in RECORD")
    # The kinds that follow are ours; the numbers go on where the others have gaps.
    case("06-spelling", w("demo_mixed", "1.0", LIN, di_name="Demo.Mixed", meta=metadata("Demo.Mixed", "1.0")), "rewrite",
         f"demo_mixed-1.0+{MARK}-{LIN}.whl", note="the directory keeps the spelling of its name")
    case("13-absolute", w("demo_abs", "1.0", "py3-none-any", extra_members=[Member("/abs.py", b"x=1\n")]),
         "refuse", error="member.path-absolute")
    case("18-two-dist-infos", w("demo_two", "1.0", "py3-none-any", extra_members=[
        Member("demo_two-0.9.dist-info/METADATA", metadata("demo-two", "0.9"))]), "refuse", error="wheel.many-dist-info")
    case("21-descriptors", w("demo_desc", "1.0", LIN, files=[
        Member("demo_desc/__init__.py", b"x=1\n" * 50, level=1, descriptor=True),
        Member("demo_desc/lib.so", SO, EXE, method=0, descriptor=True)]), "rewrite", f"demo_desc-1.0+{MARK}-{LIN}.whl",
         note="a stored member with a descriptor, and one at another level")
    tags = "py2.py3-none-linux_x86_64.manylinux2014_x86_64"
    case("23-tags-unicode", w("demo_uni", "1.0+07.00.git", tags, files=[
        Member("demo_uni/__init__.py", b""), Member("demo_uni/gr\u00fcn \u4e2d.txt", b"x\n")],
        meta=metadata("demo-uni", "1.0+7.0.git")), "rewrite", f"demo_uni-1.0+7.0.git.{MARK}-{tags}.whl",
        note="compressed tags keep their order; leading zeros go")
    case("26-abi3", w("demo_abi", "2.0.post1", "cp311-abi3-manylinux_2_28_x86_64"), "rewrite",
         f"demo_abi-2.0.post1+{MARK}-cp311-abi3-manylinux_2_28_x86_64.whl")
    case("27-licences-sboms", w("demo_sbom", "1.0", LIN, files=[Member("demo_sbom.py", b"")], after=[], extra_members=[
        Member("demo_sbom-1.0.dist-info/licenses/third_party/LICENSE", b"MIT\n"),
        Member("demo_sbom-1.0.dist-info/sboms/a.cdx.json", b'{"purl": "pkg:pypi/demo-sbom@1.0"}')]), "rewrite",
         f"demo_sbom-1.0+{MARK}-{LIN}.whl", note="nested below dist-info; the SBOM's name of the wheel is reported")
    case("28-zip64-wrong", w("demo_wrong64", "1.0", LIN, files=[
        Member("demo_wrong64/__init__.py", b"x=1\n", local_extra=struct.pack("<HHQ", 1, 8, 5 << 30))]), "rewrite",
         f"demo_wrong64-1.0+{MARK}-{LIN}.whl", note="as in torch wheels of 5.8 GB; pip takes them, uv does not")
    case("29-timestamps", w("demo_time", "1.0", LIN, files=[
        Member("demo_time-1.0.data/data/x", b"x", local_extra=struct.pack("<HHBL", 0x5455, 5, 1, 0))]), "rewrite",
         f"demo_time-1.0+{MARK}-{LIN}.whl", note="another extra field stays, also in a renamed member")
    case("30-mark-first", w("demo_first", "0.27.1.dev5+rocm10.1.0.gf46a9dfe2.d20260826", LIN), "keep",
         f"demo_first-0.27.1.dev5+rocm10.1.0.gf46a9dfe2.d20260826-{LIN}.whl")
    case("31-mark-spelled", w("demo_caps", "1.0+ROCm10.1.0", LIN), "rewrite", f"demo_caps-1.0+rocm10.1.0-{LIN}.whl",
         note="marked, and not in normal form")
    case("32-epoch", w("demo_epoch", "1!2.0", LIN), "rewrite", f"demo_epoch-1!2.0+{MARK}-{LIN}.whl")
    case("33-dist-info-first", w("demo_early", "1.0", LIN, files=[], after=[
        Member("demo_early/__init__.py", b"")], unlisted=(), record_tweak=lambda t: f"demo_early/__init__.py,{b64(b'')},0\n" + t),
        "rewrite", f"demo_early-1.0+{MARK}-{LIN}.whl", note="RECORD in the middle, as in PyYAML")
    case("34-sha512", w("demo_512", "1.0", LIN, record_tweak=lambda t: re.sub(
        r"(demo_512/__init__.py),[^,]*", lambda m: m[1] + ",sha512=" + base64.urlsafe_b64encode(hashlib.sha512(
            b"__version__ = '1.0'\n").digest()).rstrip(b"=").decode(), t)), "rewrite", f"demo_512-1.0+{MARK}-{LIN}.whl")
    case("35-executable-text", w("demo_exec", "1.0", LIN, extra_members=[
        Member("demo_exec-1.0.dist-info/entry_points.txt", b"[console_scripts]\nx = y:z\n", EXE)]), "rewrite",
         f"demo_exec-1.0+{MARK}-{LIN}.whl")
    case("36-weak-hash", w("demo_md5", "1.0", LIN, record_tweak=lambda t: re.sub(
        r"(demo_md5/__init__.py),[^,]*", r"\1,md5=1B2M2Y8AsgTpgAmY7PhCfg", t)), "refuse", error="record.weak-hash")
    case("37-absent", w("demo_gone", "1.0", LIN, record_tweak=lambda t: f"demo_gone/x.py,{b64(b'')},0\n" + t),
         "refuse", error="record.absent-member")
    case("38-trailing", ("demo_tail-1.0-py3-none-any.whl", w("demo_tail", "1.0", "py3-none-any")[1] + b"\n"), "refuse",
         error="zip.trailing-bytes")
    case("39-member-comment", w("demo_talk", "1.0", "py3-none-any", extra_members=[
        Member("demo_talk/x.py", b"", comment=b"hello")]), "refuse", error="zip.member-comment")
    case("40-method", w("demo_lzma", "1.0", "py3-none-any", extra_members=[Member("demo_lzma/x.py", b"x", method=14)]),
         "refuse", error="zip.method")
    case("41-tags", ("demo_tags-1.0-py3-none-any.whl", w("demo_tags", "1.0", "py2-none-any")[1]), "refuse",
         error="wheel.tags-mismatch")
    case("42-web-page", ("demo_page-1.0-py3-none-any.whl", b"<!DOCTYPE html><title>404</title>"), "refuse",
         error="zip.not-a-zip")
    case("43-data-collision", w("demo_twice", "1.0", LIN, extra_members=[
        Member("demo_twice-1.0.data/data/x", b"1"), Member(f"demo_twice-1.0+{MARK}.data/data/x", b"2")]), "refuse",
        error="wheel.name-collision", note="two members would get one name")
    case("24-empty", ("demo_empty-1.0-py3-none-any.whl", write_zip([])), "refuse", error="wheel.no-dist-info")
    name, data = w("demo_cut", "1.0", LIN, extra_members=[Member("demo_cut/lib.so", SO, EXE, method=0)])
    case("25-truncated", (name, data[:-40]), "refuse", error="zip.truncated", note="the last 40 bytes are missing: no end record")


def make(where):
    build_cases()
    os.makedirs(where, exist_ok=True)
    rows = []
    for c in CASES:
        d = os.path.join(where, c["id"])
        os.makedirs(d, exist_ok=True)
        with open(os.path.join(d, c["file"]), "wb") as f:
            f.write(c["data"])
        assert len(c["data"]) < 50_000
        row = {k: c[k] for k in ("id", "file", "action", "to", "error", "note") if c[k]}
        row["bytes"], row["sha256"] = len(c["data"]), hashlib.sha256(c["data"]).hexdigest()
        rows.append(row)
    with open(os.path.join(where, "expected.json"), "w") as f:
        json.dump(dict(mark=MARK, cases=rows), f, indent=1, ensure_ascii=False)
        f.write("\n")
    print(len(rows), "cases")


def raw_members(path):
    """name -> (order, method, mode, crc, size, stored bytes, local flag bits)"""
    z, blob, out = zipfile.ZipFile(path), open(path, "rb").read(), {}
    for n, i in enumerate(z.infolist()):
        o = i.header_offset
        flags, = struct.unpack("<H", blob[o + 6:o + 8])
        nl, el = struct.unpack("<2H", blob[o + 26:o + 30])
        s = o + 30 + nl + el
        out[i.filename] = (n, i.compress_type, i.external_attr >> 16, i.CRC, i.file_size, blob[s:s + i.compress_size], flags)
    return out


def stream_faults(path):
    """What a reader finds wrong that takes the file from its first byte on and never looks ahead, as indexes and network
    installers do: local headers back to back, sizes in them, the same members as in the directory, nothing behind the end."""
    listed = {i.filename: (i.compress_size, i.file_size) for i in zipfile.ZipFile(path).infolist()}
    bad, seen = [], {}
    with open(path, "rb") as f:
        while (sig := f.read(4)) == b"PK\3\4":
            flags, method, csize, size, nl, el = struct.unpack("<xxHHxxxxxxxxLLHH", f.read(26))
            name, extra = f.read(nl).decode("utf-8"), f.read(el)
            wide = csize == 0xFFFFFFFF or size == 0xFFFFFFFF
            fields = []
            while extra:
                ident, length = struct.unpack("<HH", extra[:4])
                fields += [(ident, extra[4:4 + length])]
                extra = extra[4 + length:]
            zip64 = [content for ident, content in fields if ident == 1]
            if [len(content) for content in zip64] != ([16] if wide else []):
                bad.append(f"{name}: ZIP64 field of the local header")
            if wide and zip64:
                size, csize = struct.unpack("<QQ", zip64[0])
            if flags & 8 or method not in (0, 8) or name in seen:
                bad.append(f"{name}: flags {flags:x}, method {method}, or twice")
            seen[name] = (csize, size)
            f.seek(csize, os.SEEK_CUR)
        if seen != listed:
            bad.append("local headers and directory list different members")
        start, count = f.tell() - 4, 0
        while sig == b"PK\1\2":
            nl, el, cl = struct.unpack("<24x3H12x", f.read(42))
            f.seek(nl + el, os.SEEK_CUR)
            count, sig = count + 1, f.read(4)
            if cl:
                bad.append("a member has a comment")
        cd = f.tell() - 4
        if sig == b"PK\6\6":
            size64, n64, csize64, start64 = struct.unpack("<Q20xQQQ", f.read(52))
            if (size64, n64, csize64, start64) != (44, count, cd - start, start):
                bad.append("ZIP64 end record")
            at64, = struct.unpack("<8xQ4x", f.read(20))
            if at64 != cd:
                bad.append("ZIP64 locator")
            sig = f.read(4)
        n, csize, off, comment = struct.unpack("<6xHLLH", f.read(18))
        if sig != b"PK\5\6" or n not in (count, 0xFFFF) or off not in (start, 0xFFFFFFFF) or csize != cd - start:
            bad.append("end record")
        f.seek(comment, os.SEEK_CUR)
        if f.read(1):
            bad.append("bytes behind the end")
    return bad


def faults(src, dst):
    """What is wrong with dst as a rewrite of src (an empty list: nothing)."""
    bad, a, b = stream_faults(dst), raw_members(src), raw_members(dst)
    z0, z1 = zipfile.ZipFile(src), zipfile.ZipFile(dst)
    one = lambda z: [n[:-9] for n in z.namelist() if n.endswith(".dist-info/METADATA")]
    if len(one(z1)) != 1:
        return ["dist-info directories: %s" % one(z1)]
    d0, d1 = one(z0)[0], one(z1)[0]
    version = os.path.basename(dst).split("-")[1]
    if d1 != f"{d0[:-10].rsplit('-', 1)[0]}-{version}.dist-info":
        bad.append(f"dist-info is {d1}")
    ren = lambda n: (d1 + n[len(d0):] if n.startswith(d0 + "/") else
                     d1[:-10] + ".data" + n[len(d0) - 5:] if n.startswith(d0[:-10] + ".data/") else n)
    gone = {d0 + "/RECORD.jws", d0 + "/RECORD.p7s"}
    want = [ren(n) for n in a if n not in gone]
    if sorted(want) != sorted(b):
        bad.append("members: lost %s, added %s" % (sorted(set(want) - set(b)), sorted(set(b) - set(want))))
    for n in a:
        m = ren(n)
        if n in gone or m not in b:
            continue
        if m in (d1 + "/METADATA", d1 + "/RECORD"):
            if b[m][2] & 0o170000 not in (0, 0o100000) or b[m][2] & 0o111:
                bad.append(f"{m}: mode {b[m][2]:o}")
        elif a[n][1:6] != b[m][1:6]:
            bad.append(f"{m}: method, mode, crc, size or stored bytes changed")
        if b[m][6] & 8:
            bad.append(f"{m}: data descriptor left")
    if z0.comment != z1.comment:
        bad.append("archive comment changed")
    if list(b)[-1] != d1 + "/RECORD":
        bad.append("RECORD is not the last member")
    head = re.compile(rb"(?im)^(version:[ \t]*)([^\s]+)")
    m0, m1 = z0.read(d0 + "/METADATA"), z1.read(d1 + "/METADATA")
    want_meta = head.sub(lambda m: m[1] + version.encode(), m0, count=1)
    if "ROCm" in src:
        want_meta = m0.replace(b"ROCm", b"rocm", 1)
    if m1 != want_meta:
        bad.append("METADATA differs in more than the Version value")
    seen = {}
    for row in csv.reader(io.StringIO(z1.read(d1 + "/RECORD").decode("utf-8"), newline="")):
        if row:
            seen[row[0]] = row
    for n in b:
        if n.endswith("/") or n == d1 + "/RECORD":
            continue
        if n not in seen:
            bad.append(f"RECORD lacks {n}")
        elif seen[n][1:] != [b64(z1.read(n)), str(b[n][4])] and not seen[n][1].startswith("sha512="):
            bad.append(f"RECORD row wrong for {n}")
    bad += [f"RECORD names absent {n}" for n in seen if n not in b]
    return bad


def check(where, out):
    passed = failed = 0
    for c in json.load(open(os.path.join(where, "expected.json")))["cases"]:
        d = os.path.join(out, c["id"])
        got = sorted(f for f in os.listdir(d) if f.endswith(".whl")) if os.path.isdir(d) else []
        src = os.path.join(where, c["id"], c["file"])
        if c["action"] == "refuse":
            why = [f"wrote {got}"] if got else []
        elif got != [c["to"]]:
            why = [f"wrote {got}, want {c['to']}"]
        elif c["action"] == "keep":
            why = [] if open(src, "rb").read() == open(os.path.join(d, got[0]), "rb").read() else ["bytes changed"]
        else:
            why = faults(src, os.path.join(d, got[0]))
        passed, failed = passed + (not why), failed + bool(why)
        print(("ok   " if not why else "FAIL ") + c["id"] + ("" if not why else ": " + "; ".join(why)))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "make":
        make(sys.argv[2])
    elif len(sys.argv) == 4 and sys.argv[1] == "check":
        sys.exit(check(sys.argv[2], sys.argv[3]))
    else:
        sys.exit(__doc__)
