"""Serves an OAI-PMH provider on a free port. The first argument lists what happens to the first
ListRecords requests, such as `ok,500,503`; all others are answered."""
import sys
import urllib.parse
from wsgiref.simple_server import WSGIRequestHandler, make_server

faults = [it for it in (sys.argv[1] if len(sys.argv) > 1 else "").split(",") if it]


class Quiet(WSGIRequestHandler):
    def log_message(self, *args):
        pass


def serve(respond):
    def application(environ, start_response):
        arguments = {k: v[0] for k, v in urllib.parse.parse_qs(environ["QUERY_STRING"]).items()}
        fault = "ok"
        if arguments.get("verb") == "ListRecords" and faults:
            fault = faults.pop(0)
        if fault != "ok":
            start_response(f"{fault} Fault", [("Retry-After", "0"), ("Content-Length", "0")])
            return [b""]
        start_response("200 OK", [("Content-Type", "text/xml")])
        return [respond(arguments)]

    httpd = make_server("127.0.0.1", 0, application, handler_class=Quiet)
    print("port", httpd.server_port, flush=True)
    httpd.serve_forever()


