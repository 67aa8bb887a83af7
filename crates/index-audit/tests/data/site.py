"""Makes stub wheels and a simple index of them; the description comes as JSON on stdin.

{"out": DIR, "base": URL or null, "pin": [[name, version], ...] or null, "wheels": [
  {"name", "version", "tag", "requires": [], "extras": [], "python": SPEC or null, "payload": TEXT}]}

Pages are DIR/<name>/index.html with a JSON twin, files DIR/files/. With `pin`, a metapackage `rocm_torch` for the
architecture that DIR is named for pins those. Everything is the same bytes each time.
"""
import base64
import hashlib
import html
import json
import os
import re
import sys
import zipfile
from urllib.parse import quote


def wheel(out, name, version, tag="py3-none-any", requires=(), extras=(), python=None, payload=""):
    info = f"{name}-{version}.dist-info"
    head = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    head += [f"Requires-Python: {python}"] if python else []
    head += [f"Provides-Extra: {extra}" for extra in extras] + [f"Requires-Dist: {r}" for r in requires]
    files = {
        f"{name}/__init__.py": payload.encode(),
        f"{info}/METADATA": ("\n".join(head) + "\n").encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: stub\nRoot-Is-Purelib: true\nTag: {tag}\n".encode(),
    }
    rows = [f"{path},sha256={digest(data)},{len(data)}" for path, data in files.items()]
    files[f"{info}/RECORD"] = ("\n".join(rows) + f"\n{info}/RECORD,,\n").encode()
    path = os.path.join(out, "files", f"{name}-{version}-{tag}.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in files.items():
            archive.writestr(zipfile.ZipInfo(member, (1980, 1, 1, 0, 0, 0)), data)
    with open(path + ".metadata", "wb") as sidecar:
        sidecar.write(files[f"{info}/METADATA"])
    return os.path.basename(path)


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def page(title, links):
    meta = '<meta name="pypi:repository-version" content="1.0">'
    return f"<!DOCTYPE html><html><head>{meta}<title>{title}</title></head><body>\n" + "\n".join(links) + "\n</body></html>\n"


def main():
    spec = json.load(sys.stdin)
    out = spec["out"]
    os.makedirs(os.path.join(out, "files"))
    wheels = spec["wheels"]
    if spec.get("pin") is not None:
        arch = os.path.basename(out)
        pins = [f'{name}=={version}; extra == "device-{arch}"' for name, version in spec["pin"]]
        wheels.append({"name": "rocm_torch", "version": f"10.1.0+{arch}.424e84fe", "requires": pins, "extras": [f"device-{arch}"]})
    projects = {}
    for one in wheels:
        name = re.sub(r"[-_.]+", "-", one["name"]).lower()
        projects.setdefault(name, []).append((wheel(out, **one), one.get("python")))
    for name, files in projects.items():
        os.makedirs(os.path.join(out, name))
        links, twin = [], []
        for filename, python in files:
            path = os.path.join(out, "files", filename)
            url = (spec.get("base") or "../files") + "/" + quote(filename)
            core = f"sha256={sha256(path + '.metadata')}"
            requires = f' data-requires-python="{html.escape(python)}"' if python else ""
            links.append(f'<a href="{url}#sha256={sha256(path)}"{requires} data-core-metadata="{core}" '
                         f'data-dist-info-metadata="{core}">{filename}</a><br>')
            twin.append({"filename": filename, "url": url, "hashes": {"sha256": sha256(path)}, "size": os.path.getsize(path)})
        with open(os.path.join(out, name, "index.html"), "w") as file:
            file.write(page(name, links))
        with open(os.path.join(out, name, "index.v1.json"), "w") as file:
            json.dump({"meta": {"api-version": "1.1"}, "name": name, "files": twin}, file)
    with open(os.path.join(out, "index.html"), "w") as file:
        file.write(page("index", [f'<a href="{name}/">{name}</a><br>' for name in sorted(projects)]))


main()
