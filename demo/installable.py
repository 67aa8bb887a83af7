#!/usr/bin/env python3
"""installable.py SET: the wheels of a set that any Python 3 on this machine takes, as pins."""
import json
import sys

with open(sys.argv[1]) as file:
    for wheel in json.load(file)["wheels"]:
        if any(tag.startswith("py3-none-") for tag in wheel["tags"]):
            print(f"{wheel['name']}=={wheel['version']}")
