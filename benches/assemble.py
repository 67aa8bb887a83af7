#!/usr/bin/env python3
"""Puts the sections of build/bench/ together as docs/benchmarks.md; a section that was not run now is kept as it was."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/benchmarks.md"
ORDER = ["probe", "tagger", "index", "wheelhouse", "vendor"]
HEAD = """# Benchmarks

CPU seconds are user and system time together, memory is the peak of the resident set; the best of several runs, with the
page cache warm. Each table is one run on one machine, ours and the peers one after another: read the ratios.
`make bench` measures it all again.
"""


def main():
    old = PAGE.read_text() if PAGE.exists() else ""
    sections = dict(re.findall(r"<!-- (\w+) -->\n(.*?)(?=\n<!-- \w+ -->|\Z)", old, re.S))
    for name in ORDER:
        new = ROOT / f"build/bench/{name}.md"
        if new.exists():
            sections[name] = new.read_text().strip()
    body = "\n".join(f"<!-- {name} -->\n{sections[name].strip()}\n" for name in ORDER if name in sections)
    PAGE.write_text(f"{HEAD}\n{body}")


if __name__ == "__main__":
    main()
