#!/usr/bin/env python3
"""bare.py NAME AUDIT: one line for a person about what a bare name brought, from the audit of its resolve."""
import json
import sys

name, path = sys.argv[1:]
with open(path) as file:
    audit = json.load(file)
got = next(one for one in audit["evidence"] if one["name"] == name)
cuda = sorted({finding["name"] for finding in audit["findings"] if finding["rule"] == "cuda"})
origin = "our index" if got["ours"] else "somebody else's index"
print(f"{name}: {got['version']} from {origin}, with {len(cuda)} CUDA packages: {', '.join(cuda[:4])}, …")
