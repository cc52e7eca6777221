"""Serves one CGI program for all paths: cgi.py PORT PROGRAM [STATIC_PREFIX DIRECTORY]."""

import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT, PROGRAM = int(sys.argv[1]), sys.argv[2]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def do_GET(self):
        path, _, query = self.path.partition("?")
        environment = dict(
            os.environ, GATEWAY_INTERFACE="CGI/1.1", REQUEST_METHOD="GET", SCRIPT_NAME="",
            PATH_INFO=path, QUERY_STRING=query, SERVER_NAME="127.0.0.1", SERVER_PORT=str(PORT),
            SERVER_PROTOCOL="HTTP/1.0", REQUEST_URI=self.path, REMOTE_ADDR="127.0.0.1",
            HTTP_HOST=self.headers.get("Host", ""),
        )
        done = subprocess.run([PROGRAM], env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        head, _, body = done.stdout.replace(b"\r\n\r\n", b"\n\n", 1).partition(b"\n\n")
        headers = [line.split(":", 1) for line in head.decode("latin-1").splitlines() if ":" in line]
        status = 200
        for name, value in headers:
            if name.lower() == "status":
                status = int(value.split()[0])
            elif name.lower() == "location" and status == 200:
                status = 302
        self.send_response(status)
        for name, value in headers:
            if name.lower() != "status":
                self.send_header(name, value.strip())
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
