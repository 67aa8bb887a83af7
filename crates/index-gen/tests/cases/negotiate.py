"""A server as a mirror runs it: pages as HTML, or as their JSON twins to clients that ask for those."""

import http.server
import sys

JSON = "application/vnd.pypi.simple.v1+json"


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        self.twin = self.path.endswith("/") and JSON in self.headers.get("Accept", "")
        if self.twin:
            self.path += "index.v1.json"
        super().do_GET()

    def guess_type(self, path):
        return JSON if getattr(self, "twin", False) else super().guess_type(path)

    def __init__(self, *arguments):
        super().__init__(*arguments, directory=sys.argv[1])


with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
    print(f"at port {server.server_address[1]} ", flush=True)
    server.serve_forever()
