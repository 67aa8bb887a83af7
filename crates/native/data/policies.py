#!/usr/bin/env python3
"""Write policies.toml from the policy files of an installed auditwheel.

    build/oracles/bin/python crates/native/data/policies.py > crates/native/data/policies.toml

A policy lists only what it adds to the one before it: auditwheel itself checks that every set grows.
"""
import json
import re
from importlib import metadata
from pathlib import Path

import auditwheel.policy

HEAD = """\
# What each manylinux, musllinux and android policy grants: system libraries, symbol versions by machine, and
# symbols that must not be taken from a granted library.
#
# Source: the policy files of auditwheel {version} (MIT licence), written by policies.py; a test compares the two.
# Read: {date}.
# Order: the most portable policy of a C library first. Each one lists what it adds to the one before; `forbidden`
# replaces the list before. A prefix with an empty list is known and has no version yet.

source = "auditwheel {version}"
"""
DATE = "2026-11-30"


def newest_last(version):
    return [(0, int(x), "") if x.isdigit() else (1, 0, x) for x in re.split(r"[._]", version)]


def row(values):
    return "[" + ", ".join(json.dumps(value) for value in values) + "]"


def main():
    folder = Path(auditwheel.policy.__file__).parent
    print(HEAD.format(version=metadata.version("auditwheel"), date=DATE), end="")
    for libc, file in (("glibc", "manylinux"), ("musl", "musllinux"), ("android", "android")):
        libraries, forbidden, versions = set(), None, {}
        policies = json.loads((folder / f"{file}-policy.json").read_text())
        for policy in sorted(policies, key=lambda policy: -policy["priority"]):
            if policy["name"] == "linux":
                continue
            print(f'\n[[policy]]\nname = "{policy["name"]}"\nlibc = "{libc}"')
            print(f"aliases = {row(policy['aliases'])}")
            print(f"machines = {row(sorted(policy['symbol_versions']))}")
            print(f"libraries = {row(sorted(set(policy['lib_whitelist']) - libraries))}")
            libraries |= set(policy["lib_whitelist"])
            if policy["blacklist"] != forbidden:
                forbidden = policy["blacklist"]
                print("[policy.forbidden]")
                for library, symbols in sorted(forbidden.items()):
                    print(f'"{library}" = {row(sorted(symbols))}')
            for machine, prefixes in sorted(policy["symbol_versions"].items()):
                known = versions.setdefault(machine, {})
                added = {p: set(v) - known.get(p, set()) for p, v in prefixes.items() if p not in known or set(v) - known[p]}
                if added:
                    print(f"[policy.versions.{machine}]")
                for prefix, new in sorted(added.items()):
                    print(f"{prefix} = {row(sorted(new, key=newest_last))}")
                    known[prefix] = known.get(prefix, set()) | new


main()
