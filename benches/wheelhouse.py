#!/usr/bin/env python3
"""wheelhouse pull of a 1 GB wheel image, beside inflating and hashing it and beside skopeo and tar; and tags of 10,000 tags."""

import hashlib
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
import zlib
from pathlib import Path

from measure import best, table

ROOT = Path(__file__).resolve().parents[1]
SIZE = 1 << 30
TAGS = 10_000
TAG = "2.15.0-10.1.0-full-gfx950"
NAME = "torch-2.15.0a0+git31a77fc-cp314-cp314-linux_x86_64.whl"

# Inflating a layer and hashing what has to be hashed: the blob, the archive in it, the wheel in that. Nothing is written.
FLOOR = """
import hashlib, sys, zlib
blob, archive, wheel = hashlib.sha256(), hashlib.sha256(), hashlib.sha256()
inflate = zlib.decompressobj(31)
with open(sys.argv[1], "rb") as layer:
    while chunk := layer.read(1 << 18):
        blob.update(chunk)
        data = inflate.decompress(chunk)
        archive.update(data)
        wheel.update(data)
"""


class Gzip:
    """A file that packs what is written to it, and knows the digests of both sides."""

    def __init__(self, target):
        self.target = target
        self.deflate = zlib.compressobj(6, zlib.DEFLATED, 31)
        self.plain, self.packed = hashlib.sha256(), hashlib.sha256()

    def write(self, data):
        self.plain.update(data)
        self._put(self.deflate.compress(data))
        return len(data)

    def close(self):
        self._put(self.deflate.flush())

    def _put(self, data):
        self.packed.update(data)
        self.target.write(data)


class Noise:
    """SIZE bytes that do not compress, as those of a wheel do not."""

    def __init__(self):
        self.left = SIZE

    def read(self, length):
        length = min(length, self.left)
        self.left -= length
        return os.urandom(length)


def make_layer(path):
    with open(path, "wb") as target:
        packed = Gzip(target)
        with tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar:
            folder = tarfile.TarInfo("wheels")
            folder.type = tarfile.DIRTYPE
            tar.addfile(folder)
            wheel = tarfile.TarInfo(f"wheels/{NAME}")
            wheel.size = SIZE
            tar.addfile(wheel, Noise())
        packed.close()
    return f"sha256:{packed.packed.hexdigest()}", f"sha256:{packed.plain.hexdigest()}"


class Registry:
    """docker-registry on loopback."""

    def __init__(self, folder):
        program = shutil.which("docker-registry") or str(ROOT / "build/registry/usr/bin/docker-registry")
        if not os.path.exists(program):
            sys.exit("wheelhouse.py: no docker-registry; run `make test-services` first")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.host = f"127.0.0.1:{free.getsockname()[1]}"
        self.storage = folder / "storage"
        config = folder / "config.yml"
        config.write_text(
            "version: 0.1\nlog:\n  level: error\nstorage:\n  filesystem:\n"
            f"    rootdirectory: {self.storage}\nhttp:\n  addr: {self.host}\n"
        )
        self.process = subprocess.Popen([program, "serve", config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(500):
            try:
                self.ask("GET", "/v2/")
                return
            except OSError:
                time.sleep(0.02)
        sys.exit("wheelhouse.py: docker-registry does not start")

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(self.host)
        connection.request(method, path, body=body, headers=headers or {})
        answer = connection.getresponse()
        content = answer.read()
        if answer.status >= 400:
            sys.exit(f"wheelhouse.py: {method} {path}: {answer.status} {content[:200]!r}")
        return answer, content

    def put_blob(self, repository, digest, body, length):
        answer, _ = self.ask("POST", f"/v2/{repository}/blobs/uploads/")
        location = answer.headers["Location"].split(self.host, 1)[1]
        headers = {"Content-Length": str(length), "Content-Type": "application/octet-stream"}
        self.ask("PUT", f"{location}&digest={digest}", body, headers)
        return {"digest": digest, "size": length}

    def push(self, repository, layer, digest, diff_id):
        config = json.dumps(
            {"architecture": "amd64", "os": "linux", "config": {}, "rootfs": {"type": "layers", "diff_ids": [diff_id]}}
        ).encode()
        config_digest = f"sha256:{hashlib.sha256(config).hexdigest()}"
        oci = "application/vnd.oci.image"
        with open(layer, "rb") as body:
            layer_part = self.put_blob(repository, digest, body, layer.stat().st_size)
        config_part = self.put_blob(repository, config_digest, config, len(config))
        manifest = {
            "schemaVersion": 2,
            "mediaType": f"{oci}.manifest.v1+json",
            "config": {"mediaType": f"{oci}.config.v1+json", **config_part},
            "layers": [{"mediaType": f"{oci}.layer.v1.tar+gzip", **layer_part}],
        }
        headers = {"Content-Type": manifest["mediaType"]}
        self.ask("PUT", f"/v2/{repository}/manifests/{TAG}", json.dumps(manifest), headers)


def plan(host):
    reference = f"{host}/rocm/pytorch-wheel:{TAG}"
    target = {
        "name": "pytorch-wheel", "repository": "pytorch-wheel", "dockerfile": None, "stage": "wheel", "architecture": "gfx950",
        "groups": [], "args": {}, "contexts": {}, "needs_published": [], "caches": [],
        "tags": [{"reference": reference, "tag": TAG, "class": "versioned"}],
    }
    document = {"schema": "tag-plan/1", "registry": f"{host}/rocm", "targets": [target], "groups": {}, "findings": []}
    return json.dumps(document)


def pulls(registry, folder, layer):
    out = folder / "out"

    def clean():
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()

    (folder / "plan.json").write_text(plan(registry.host))
    image = f"docker://{registry.host}/rocm/pytorch-wheel:{TAG}"
    blob = hashlib.file_digest(open(layer, "rb"), "sha256").hexdigest()
    peer = (
        f"skopeo --insecure-policy copy --quiet --src-tls-verify=false {image} dir:{out}/image"
        f" && tar -xzf {out}/image/{blob} -C {out}"
    )
    floor = best([sys.executable, "-c", FLOOR, layer])
    ours = best(
        ["wheelhouse", "pull", "--plain-http", registry.host, "--out", out / "wheels"],
        before=clean, stdin=folder / "plan.json",
    )
    rows = [("inflate and hash, from a file, nothing written", floor), ("`wheelhouse pull`", ours)]
    if shutil.which("skopeo"):
        rows.append(("`skopeo copy` to a folder, then `tar -xzf`", best(["bash", "-c", peer], before=clean)))
    else:
        print("wheelhouse.py: no skopeo; its row is left out (Debian: apt-get install skopeo)", file=sys.stderr)
    clean()
    cells = [
        (name, f"{cost.cpu:.2f}", f"{cost.cpu / floor.cpu:.2f}", f"{cost.wall:.2f}", f"{cost.peak:.0f}") for name, cost in rows
    ]
    print(table(["1 GiB wheel in one gzip layer", "CPU s", "x floor", "wall s", "peak MiB"], cells))


def listings(registry):
    tags = registry.storage / "docker/registry/v2/repositories/rocm/pytorch-wheel/_manifests/tags"
    link = (tags / TAG / "current/link").read_text()
    for number in range(TAGS):
        current = tags / f"2.15.{number}-10.1.0-full-gfx950/current"
        current.mkdir(parents=True, exist_ok=True)
        (current / "link").write_text(link)

    def asked():
        begin = time.monotonic()
        registry.ask("GET", "/v2/rocm/pytorch-wheel/tags/list")
        return time.monotonic() - begin

    arguments = ["wheelhouse", "tags", "--plain-http", registry.host, f"{registry.host}/rocm/pytorch-wheel"]
    # In turns, so that what else the machine does meets both.
    pairs = [(asked(), best(arguments, runs=1)) for _ in range(20)]
    own = min(request for request, _ in pairs)
    cost = min((cost for _, cost in pairs), key=lambda cost: cost.wall)
    rows = [
        ("one request for the list, the registry's own time", "", f"{own:.3f}", "1.0", ""),
        ("`wheelhouse tags`", f"{cost.cpu:.2f}", f"{cost.wall:.3f}", f"{cost.wall / own:.1f}", f"{cost.peak:.0f}"),
    ]
    print(table(["10,000 tags", "CPU s", "wall s", "x one request", "peak MiB"], rows))


def main():
    print("## Pulling wheels and listing tags\n")
    print(
        "A registry on loopback. The floor reads the layer from a file, inflates it and makes the three hashes that a"
        "\nverified wheel needs (blob, archive, wheel); it writes nothing. skopeo checks the blob only.\n"
    )
    with tempfile.TemporaryDirectory(dir=ROOT / "build/bench") as name:
        folder = Path(name)
        registry = Registry(folder)
        try:
            layer = folder / "layer.tar.gz"
            registry.push("rocm/pytorch-wheel", layer, *make_layer(layer))
            pulls(registry, folder, layer)
            print()
            listings(registry)
        finally:
            registry.process.terminate()
            registry.process.wait()


if __name__ == "__main__":
    main()
