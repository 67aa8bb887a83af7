"""Serves a folder on loopback, with faults: server.py DIR [PATTERN=KIND]...

A fault holds for every path that contains PATTERN: a status number, `hang`, `cut` (the body ends early), `once` (500, but
only the first time), or `redirect` (to the same file below /store/, as release hosts do). The port is the first line of
stdout; every request is a further line: its path.
"""
import http.server
import os
import sys
import time

root, faults = sys.argv[1], [fault.rsplit("=", 1) for fault in sys.argv[2:]]
failed = set()


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, *args):
        super().__init__(*args, directory=root)

    def do_GET(self):
        print(self.path, flush=True)
        kind = next((kind for pattern, kind in faults if pattern in self.path), None)
        if kind == "hang":
            time.sleep(600)
        elif kind == "cut":
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", "100000")
            self.end_headers()
            self.wfile.write(b"<!DOCTYPE html><html>")
            self.close_connection = True
        elif kind == "redirect" and not self.path.startswith("/store/"):
            self.send_response(302)
            self.send_header("Location", "/store" + self.path + "?token=1")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif kind == "once" and self.path not in failed:
            failed.add(self.path)
            self.send_error(500)
        elif kind and kind.isdigit():
            self.send_error(int(kind))
        else:
            self.path = self.path.removeprefix("/store")
            self.ranged() if self.headers.get("Range") == "bytes=0-3" else super().do_GET()

    def ranged(self):
        path = self.translate_path(self.path)
        if not os.path.isfile(path):
            return self.send_error(404)
        with open(path, "rb") as file:
            start = file.read(4)
        self.send_response(206)
        self.send_header("Content-Range", f"bytes 0-{len(start) - 1}/{os.path.getsize(path)}")
        self.send_header("Content-Length", str(len(start)))
        self.end_headers()
        self.wfile.write(start)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
