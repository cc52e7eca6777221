"""Serves archive files with pywb on a free port of 127.0.0.1.

usage: python serve.py DIRECTORY

DIRECTORY contains archive/*.warc.gz; the index is written to it. When the
server listens, its port is printed. It exits when its standard input is
closed, so that it cannot outlive its parent process.
"""

from gevent.monkey import patch_all

patch_all()

import os
import sys

from gevent.fileobject import FileObjectThread
from gevent.pywsgi import WSGIServer
from pywb.apps.frontendapp import FrontEndApp
from pywb.indexer.cdxindexer import main as write_index
from pywb.utils.geventserver import RequestURIWSGIHandler

os.chdir(sys.argv[1])
write_index(["--cdxj", "--sort", "--output", "index.cdxj", "archive"])
archive = FrontEndApp(
    config_file=None,
    custom_config={
        "collections": {"test": {"index_paths": "index.cdxj", "archive_paths": "archive/"}},
        "framed_replay": False,
        "redirect_to_exact": True,
        "enable_memento": True,
    },
)
server = WSGIServer(("127.0.0.1", 0), archive, handler_class=RequestURIWSGIHandler, log=None)
server.start()
print("port", server.server_port, flush=True)
FileObjectThread(sys.stdin.buffer).read()
os._exit(0)
