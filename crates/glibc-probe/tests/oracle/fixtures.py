"""Synthetic wheels: (filename stem, {path: bytes}, options). Built byte-for-byte the same each time."""
import base64
import hashlib
import io
import pathlib
import sys
import zipfile

from mkelf import mkelf

G = "libc.so.6"


def ext(mod="t", mach="x86_64", glibc=("GLIBC_2.2.5",), needed=(), more=None, **kw):
    vn = {G: list(glibc)} if glibc else {}
    vn.update(more or {})
    return mkelf(mach, needed=[*needed, *([G] if glibc is not None else [])], verneed=vn,
                 defined=kw.pop("defined", ["PyInit_" + mod]), **kw)


def wheel(name, files, plat="linux_x86_64", py="cp312-cp312", drop=(), extra_rows=(), record=True, purelib=False):
    """drop: paths left out of RECORD; extra_rows: RECORD rows without a file."""
    di = f"{name}-1.0.dist-info"
    fs = dict(files)
    tags = "".join(f"Tag: {py}-{p}\n" for p in plat.split("."))
    fs[f"{di}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode()
    fs[f"{di}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: mk\nRoot-Is-Purelib: {'true' if purelib else 'false'}\n{tags}".encode()
    rec = ""
    for p, b in fs.items():
        if p in drop: continue
        h = base64.urlsafe_b64encode(hashlib.sha256(b).digest()).rstrip(b"=").decode()
        rec += f"{p},sha256={h},{len(b)}\n"
    for p in extra_rows: rec += f"{p},,\n"
    if record: fs[f"{di}/RECORD"] = (rec + f"{di}/RECORD,,\n").encode()
    buf = io.BytesIO()
    with zipfile.ZipFile(buf, "w") as z:
        for p, b in fs.items():
            zi = zipfile.ZipInfo(p, (2020, 1, 1, 0, 0, 0)); zi.external_attr = 0o100644 << 16
            zi.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(zi, b, compresslevel=6)
    return f"{name}-1.0-{py}-{plat}.whl", buf.getvalue()


def all_fixtures():
    out = []
    add = lambda *a, **k: out.append(wheel(*a, **k))
    SO = "t.cpython-312-x86_64-linux-gnu.so"
    for v in "2.2.5 2.3.4 2.5 2.6 2.12 2.14 2.17 2.18 2.22 2.24 2.25 2.26 2.27 2.28 2.29 2.30 2.31 2.32 2.33 2.34 2.35 2.36 2.37 2.38 2.39 2.40 2.41 2.42 2.43 2.99".split():
        add("syn_glibc_" + v.replace(".", "_"), {SO: ext(glibc=("GLIBC_" + v,))})
    for n, sym in {"private": "GLIBC_PRIVATE", "abi_dt_relr": "GLIBC_ABI_DT_RELR", "abi_gnu_tls": "GLIBC_ABI_GNU_TLS", "abi_gnu2_tls": "GLIBC_ABI_GNU2_TLS"}.items():
        add("syn_glibc_" + n, {SO: ext(glibc=("GLIBC_2.2.5", sym))})
    for s in "GLIBCXX_3.4.8 GLIBCXX_3.4.13 GLIBCXX_3.4.19 GLIBCXX_3.4.20 GLIBCXX_3.4.21 GLIBCXX_3.4.22 GLIBCXX_3.4.25 GLIBCXX_3.4.26 GLIBCXX_3.4.28 GLIBCXX_3.4.29 GLIBCXX_3.4.30 GLIBCXX_3.4.31 GLIBCXX_3.4.32 GLIBCXX_3.4.33 GLIBCXX_3.4.34 CXXABI_1.3.3 CXXABI_1.3.5 CXXABI_1.3.7 CXXABI_1.3.8 CXXABI_1.3.9 CXXABI_1.3.11 CXXABI_1.3.13 CXXABI_1.3.14 CXXABI_1.3.15 CXXABI_1.3.16 CXXABI_TM_1 CXXABI_FLOAT128".split():
        add("syn_" + s.lower().replace(".", "_"), {SO: ext(needed=["libstdc++.so.6"], more={"libstdc++.so.6": [s]})})
    for s in "GCC_3.0 GCC_4.2.0 GCC_4.3.0 GCC_4.8.0 GCC_7.0.0 GCC_12.0.0 GCC_13.0.0 GCC_14.0.0 GCC_15.0.0".split():
        add("syn_" + s.lower().replace(".", "_"), {SO: ext(needed=["libgcc_s.so.1"], more={"libgcc_s.so.1": [s]})})
    for s in "ZLIB_1.2.0 ZLIB_1.2.2 ZLIB_1.2.3.4 ZLIB_1.2.5.2 ZLIB_1.2.7.1 ZLIB_1.2.9 ZLIB_1.2.12 ZLIB_1.3".split():
        add("syn_" + s.lower().replace(".", "_"), {SO: ext(needed=["libz.so.1"], more={"libz.so.1": [s]})})
    for s in "LIBATOMIC_1.0 LIBATOMIC_1.2 LIBATOMIC_1.3".split():
        add("syn_" + s.lower().replace(".", "_"), {SO: ext(needed=["libatomic.so.1"], more={"libatomic.so.1": [s]})})
    add("syn_unknown_prefix_ext", {SO: ext(needed=["libfoo.so.1"], more={"libfoo.so.1": ["FOO_9.9"]})})
    add("syn_unknown_prefix_only", {SO: ext(more={"libfoo.so.1": ["FOO_9.9"]})})
    add("syn_version_no_underscore", {SO: ext(more={"libfoo.so.1": ["libfoo"]})})
    add("syn_glibc_from_other_lib", {SO: ext(more={"libfoo.so.1": ["GLIBC_2.99"]})})
    add("syn_ld_linux_verneed_ignored", {SO: ext(more={"ld-linux-x86-64.so.2": ["GLIBC_2.99"]})})
    add("syn_libm_counted", {SO: ext(needed=["libm.so.6"], more={"libm.so.6": ["GLIBC_2.35"]})})
    # no versions at all
    add("syn_no_versions", {SO: ext(glibc=())})
    add("syn_no_libc_needed_gnu_name", {SO: mkelf(defined=["PyInit_t"])})
    add("syn_no_libc_needed_gnu_name_310", {"t.cpython-310-x86_64-linux-gnu.so": mkelf(defined=["PyInit_t"])})
    add("syn_no_libc_needed_abi3", {"t.abi3.so": mkelf(defined=["PyInit_t"])}, py="cp39-abi3")
    add("syn_no_libc_needed_abi3_manytag", {"t.abi3.so": mkelf(defined=["PyInit_t"])}, py="cp39-abi3", plat="manylinux_2_17_x86_64")
    add("syn_no_libc_nonpy", {"p/libx.so": mkelf(soname="libx.so")}, py="py3-none")
    add("syn_static_exe", {"syn_static_exe-1.0.data/scripts/x": mkelf()}, py="py3-none")
    add("syn_exe", {"syn_exe-1.0.data/scripts/x": mkelf(needed=[G], verneed={G: ["GLIBC_2.34"]}, interp="/lib64/ld-linux-x86-64.so.2")}, py="py3-none")
    add("syn_exe_musl", {"syn_exe_musl-1.0.data/scripts/x": mkelf(needed=["libc.musl-x86_64.so.1"], interp="/lib/ld-musl-x86_64.so.1")}, py="py3-none")
    # sections / where / naming
    add("syn_no_section_headers", {SO: ext(glibc=("GLIBC_2.99",), sections=False)})
    add("syn_no_section_headers_many", {SO: ext(glibc=("GLIBC_2.99",), sections=False)}, plat="manylinux_2_17_x86_64")
    add("syn_elf_named_py", {"t.py": ext(glibc=("GLIBC_2.99",)), SO: ext()})
    add("syn_elf_no_ext", {"p/data.bin": ext(glibc=("GLIBC_2.35",)), SO: ext()})
    add("syn_elf_not_in_record", {"p/libhidden.so": ext(glibc=("GLIBC_2.99",)), SO: ext()}, drop=("p/libhidden.so",))
    add("syn_record_missing_file", {SO: ext()}, extra_rows=("p/gone.so",))
    add("syn_no_record", {SO: ext()}, record=False)
    add("syn_two_distinfo", {SO: ext(), "other-1.0.dist-info/WHEEL": b"x"})
    add("syn_truncated_elf", {SO: ext(), "p/bad.so": b"\x7fELF\x02\x01\x01" + b"\0" * 9})
    add("syn_truncated_elf2", {SO: ext(), "p/bad.so": ext()[:80]})
    add("syn_magic_only", {SO: ext(), "p/bad.so": b"\x7fELF"})
    add("syn_purelib", {"syn_purelib-1.0.data/purelib/" + SO: ext()})
    add("syn_dir_named_purelib", {"pkg/purelib/" + SO: ext()})
    add("syn_platlib", {"syn_platlib-1.0.data/platlib/" + SO: ext()})
    add("syn_pure", {"p/__init__.py": b""}, plat="any", py="py3-none", purelib=True)
    add("syn_pure_linux_tag", {"p/__init__.py": b""}, py="py3-none")
    add("syn_any_tag_with_elf", {SO: ext()}, plat="any", py="py3-none")
    # foreign machines
    amd = mkelf("amdgpu", osabi=64)
    add("syn_amdgpu_plus_ext", {SO: ext(), "p/k.co": amd, "p/k.hsaco": amd})
    add("syn_amdgpu_only", {"p/k.co": amd}, py="py3-none")
    add("syn_amdgpu_only_any", {"p/k.co": amd}, py="py3-none", plat="any")
    add("syn_amdgpu_first_any", {"a/k.co": amd, SO: ext(glibc=("GLIBC_2.28",))}, plat="any", py="py3-none")
    add("syn_cubin_plus_ext", {SO: ext(), "p/k.cubin": mkelf("nvcuda", osabi=51)})
    add("syn_foreign_aarch64_plus_ext", {SO: ext(), "p/libf.so": ext(mach="aarch64", glibc=("GLIBC_2.99",))})
    add("syn_foreign_only", {SO: ext(mach="aarch64", glibc=("GLIBC_2.17",))})
    add("syn_foreign_first_any", {"a/f.so": ext(mach="aarch64", glibc=("GLIBC_2.17",)), SO: ext(glibc=("GLIBC_2.28",))}, plat="any", py="py3-none")
    for m, v in [("aarch64", "2.17"), ("i686", "2.0"), ("ppc64le", "2.17"), ("ppc64", "2.3"), ("s390x", "2.2"), ("riscv64", "2.27"), ("armv7l", "2.4"), ("loongarch64", "2.36")]:
        add(f"syn_arch_{m}", {"t.so": ext(mach=m, glibc=("GLIBC_" + v,))}, plat=f"linux_{m}")
    add("syn_arch_riscv64_2_99", {"t.so": ext(mach="riscv64", glibc=("GLIBC_2.99",))}, plat="linux_riscv64")
    add("syn_arch_armv7l_soft", {"t.so": ext(mach="armv7l_soft", glibc=("GLIBC_2.4",))}, plat="linux_armv7l")
    add("syn_arch_armv6l_tag", {"t.so": ext(mach="armv7l", glibc=("GLIBC_2.4",))}, plat="linux_armv6l")
    add("syn_arch_mips", {"t.so": ext(mach="mips", glibc=("GLIBC_2.4",))}, plat="linux_mips")
    add("syn_tag_two_arch", {SO: ext()}, plat="manylinux_2_17_x86_64.manylinux_2_17_aarch64")
    add("syn_tag_x86_64_v3", {SO: ext(isa=7)}, plat="linux_x86_64_v3")
    # libraries
    add("syn_needs_libcuda", {SO: ext(needed=["libcuda.so.1"])})
    add("syn_needs_hip", {SO: ext(needed=["libamdhip64.so.7", "libhsa-runtime64.so.1"])})
    add("syn_needs_libpython", {SO: ext(needed=["libpython3.12.so.1.0"])})
    add("syn_needs_libpython_m", {SO: ext(needed=["libpython3.7m.so.1.0"])})
    for lib in "libX11.so.6 libnsl.so.1 libcrypt.so.1 libncursesw.so.5 libpanelw.so.5 libexpat.so.1 libatomic.so.1 libmvec.so.1 libanl.so.1 libnss_dns.so.2 libGL.so.1 libglib-2.0.so.0 libssl.so.3 libgomp.so.1 libgfortran.so.5 libdrm.so.2 libnuma.so.1".split():
        add("syn_lib_" + lib.split(".so")[0].replace("-", "_").replace(".", "_"), {SO: ext(needed=[lib])})
    add("syn_vendored_rpath", {SO: ext(needed=["libv-12345678.so.1"], rpath="$ORIGIN/x.libs"), "x.libs/libv-12345678.so.1": ext(soname="libv-12345678.so.1", defined=["v"], glibc=("GLIBC_2.28",))})
    add("syn_vendored_runpath", {SO: ext(needed=["libv.so.1"], runpath="$ORIGIN/x.libs"), "x.libs/libv.so.1": ext(soname="libv.so.1", defined=["v"])})
    add("syn_vendored_no_rpath", {SO: ext(needed=["libv.so.1"]), "x.libs/libv.so.1": ext(soname="libv.so.1", defined=["v"])})
    add("syn_vendored_indirect", {SO: ext(needed=["liba.so"], rpath="$ORIGIN/x.libs"), "x.libs/liba.so": ext(soname="liba.so", defined=["a"], needed=["libb.so"]), "x.libs/libb.so": ext(soname="libb.so", defined=["b"])})
    add("syn_vendored_needs_missing", {SO: ext(needed=["liba.so"], rpath="$ORIGIN/x.libs"), "x.libs/liba.so": ext(soname="liba.so", defined=["a"], needed=["libmissing.so.1"])})
    add("syn_plugin_unneeded_missing", {SO: ext(), "p/plugin.so": ext(soname="plugin.so", defined=["pl"], needed=["libmissing.so.1"])})
    add("syn_plugin_needed_by_other_missing", {SO: ext(), "p/libq.so": ext(soname="libq.so", defined=["q"], needed=["libmissing.so.1"]), "p/r.so": ext(soname="r.so", defined=["r"], needed=["libq.so"])})
    # blacklist, pyfpe, ucs2, isa
    add("syn_zlib_blacklist", {SO: ext(needed=["libz.so.1"], undef=["inflate_fast"])})
    add("syn_zlib_blacklist_weak", {SO: ext(needed=["libz.so.1"], weak=["inflate_fast"])})
    add("syn_zlib_uncompress2", {SO: ext(needed=["libz.so.1"], undef=["uncompress2"])})
    add("syn_zlib_crc32_vpmsum", {SO: ext(needed=["libz.so.1"], undef=["crc32_vpmsum"])})
    add("syn_libc_blacklist_errno", {SO: ext(undef=["errno"])})
    add("syn_libm_blacklist", {SO: ext(needed=["libm.so.6"], undef=["__issignaling"])})
    add("syn_pyfpe", {SO: ext(undef=["PyFPE_jbuf"])})
    add("syn_pyfpe_nonpy", {SO: ext(), "p/libn.so": ext(defined=["n"], undef=["PyFPE_jbuf"])})
    add("syn_ucs2", {"t.so": ext(defined=["initt"], undef=["PyUnicodeUCS2_AsUTF8String"])}, py="cp27-cp27m")
    add("syn_ucs2_py3", {SO: ext(undef=["PyUnicodeUCS2_AsUTF8String"])})
    for n, b in [("v1", 1), ("v2", 3), ("v3", 7), ("v4", 15), ("odd", 16)]:
        add("syn_isa_" + n, {SO: ext(isa=b)})
    add("syn_isa_vendored_v2", {SO: ext(needed=["libv.so.1"], rpath="$ORIGIN/x.libs"), "x.libs/libv.so.1": ext(soname="libv.so.1", defined=["v"], isa=3)})
    add("syn_isa_plugin_v3", {SO: ext(), "p/plug.so": ext(defined=["q"], isa=7)})
    # libc mixing
    add("syn_musl_ext", {"t.cpython-312-x86_64-linux-musl.so": mkelf(needed=["libc.musl-x86_64.so.1"], defined=["PyInit_t"])})
    add("syn_musl_tag_glibc_elf", {SO: ext()}, plat="musllinux_1_2_x86_64")
    add("syn_musl_libc_so", {"t.so": mkelf(needed=["libc.so"], defined=["PyInit_t"])}, plat="musllinux_1_2_x86_64")
    add("syn_mixed_libc", {SO: ext(), "u.so": mkelf(needed=["libc.musl-x86_64.so.1"], defined=["PyInit_u"])})
    add("syn_glibc_tag_musl_exe", {SO: ext(), "bin/x": mkelf(needed=["libc.musl-x86_64.so.1"], interp="/lib/ld-musl-x86_64.so.1")}, plat="manylinux_2_17_x86_64")
    add("syn_tag_dual_libc", {"x/bin": mkelf()}, plat="manylinux_2_12_x86_64.musllinux_1_1_x86_64", py="py3-none")
    add("syn_tag_lies_low", {SO: ext(glibc=("GLIBC_2.38",))}, plat="manylinux_2_17_x86_64")
    add("syn_tag_lies_high", {SO: ext(glibc=("GLIBC_2.5",))}, plat="manylinux_2_39_x86_64")
    return out


if __name__ == "__main__":
    for file, content in all_fixtures():
        (pathlib.Path(sys.argv[1]) / file).write_bytes(content)
