#!/usr/bin/env python3
"""index-gen on 20,000 tiny wheels of 200 projects, beside the tools that make a static index of a folder, and beside
`cp -r` of the finished site: the least that writing so many files can cost. In memory where the system has a place for
that: a disk's journal, busy with what was deleted just before, costs several times what is measured, and at random."""

import os
import pathlib
import shutil
import subprocess
import sys

from measure import best, table

ROOT = pathlib.Path(__file__).resolve().parents[1]
MEMORY = pathlib.Path("/dev/shm")
WORK = (MEMORY if os.access(MEMORY, os.W_OK) else ROOT / "build/bench") / "rocm-bake-bench-index"
STUBS = ROOT / "crates/index-gen/tests/cases/stubs.py"
WHEELS, PROJECTS = 20_000, 200


def fresh(*names):
    for name in names:
        shutil.rmtree(WORK / name, ignore_errors=True)


def linked():
    """The folder of wheels once more, without copying a byte: the peers write into it."""
    fresh("peer")
    subprocess.run(["cp", "-al", "wheels", "peer"], cwd=WORK, check=True)


def document(folder):
    with open(WORK / f"{folder}.json", "wb") as out:
        subprocess.run(["glibc-probe", "--quiet", folder], cwd=WORK, stdout=out, check=True)


def index_gen(document, *more):
    return {"command": ["index-gen", "--arch", "gfx950", "--out", "site", *more], "stdin": WORK / document, "cwd": WORK}


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    subprocess.run([sys.executable, STUBS, "synth", "wheels", str(WHEELS), "--projects", str(PROJECTS)], cwd=WORK, check=True)
    document("wheels")
    subprocess.run(["cp", "-al", "wheels", "more"], cwd=WORK, check=True)
    for number in range(10):
        subprocess.run([sys.executable, STUBS, "one", "more", f"late_{number}", "1.0+rocm10.1.0"], cwd=WORK, check=True, stdout=subprocess.DEVNULL)
    document("more")

    def again(document, *more, **options):
        return best(**index_gen(document, *more), **options)

    cold = again("wheels.json", before=lambda: fresh("site", ".site.index-gen"))
    same = again("wheels.json")
    copied = best(["cp", "-r", "site", "copy"], cwd=WORK, before=lambda: fresh("copy"))
    added = again("more.json", runs=1)
    url = ["--base-url", "https://host.example/v1"]
    apart = again("wheels.json", *url, before=lambda: fresh("site", ".site.index-gen"))
    copied_apart = best(["cp", "-r", "site", "copy"], cwd=WORK, before=lambda: fresh("copy"))
    simple = best(["simple503", "--extract-metadata", "--no-sort", "peer"], runs=2, cwd=WORK, before=linked)
    piprepo = best(["piprepo", "build", "peer"], runs=2, cwd=WORK, before=linked)
    shutil.rmtree(WORK)

    def row(what, does, cost, of=cold):
        return [what, does, f"{cost.cpu:.2f}", f"{cost.cpu / of.cpu:.2f}", f"{cost.wall:.2f}", f"{cost.peak:.0f}"]

    everything = "sha256, metadata, JSON, checks"
    print("## index-gen\n")
    print(f"{WHEELS:,} tiny wheels of {PROJECTS} projects. Every wheel is hashed and its METADATA read and written beside it; the wheels are linked into the site,")
    print("or, with `--base-url`, left where they are. `×` is a multiple of index-gen's own first run. All of it in memory, so that nobody waits for a disk.\n")
    print(table(
        ["", "does", "CPU s", "×", "wall s", "MiB"],
        [
            row("index-gen, first run", everything, cold),
            row("index-gen, ten wheels added", everything, added),
            row("index-gen, nothing changed", everything, same),
            row("`cp -r` of that site", "copies it", copied),
            row("index-gen `--base-url`, first run", everything, apart),
            row("`cp -r` of that site", "copies it", copied_apart),
            row("simple503 0.4.0", "sha256, metadata", simple),
            row("piprepo 0.1.3", "names only", piprepo),
        ],
    ))
    print(f"\nsimple503 takes {simple.cpu / cold.cpu:.1f} times the CPU of index-gen; index-gen takes {cold.cpu / copied.cpu:.1f} times that of `cp -r`")
    print(f"({apart.cpu / copied_apart.cpu:.1f} with `--base-url`), and {same.cpu / cold.cpu:.2f} of its first run when nothing has changed.")


if __name__ == "__main__":
    main()
