"""Serves archive files with pywb on a free port of 127.0.0.1.

usage: python serve.py DIRECTORY [record]

DIRECTORY contains archive/*.warc.gz; the index is written to it, unless it contains
index.cdxj. With `record`, the
collection is empty and records the pages it loads. When the
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
config = {"framed_replay": False, "redirect_to_exact": True, "enable_memento": True}
if sys.argv[2:] == ["record"]:
    os.makedirs("collections/test/archive")
    os.makedirs("collections/test/indexes")
    # Without any index, pywb fails instead of reporting no captures.
    open("collections/test/indexes/index.cdxj", "w").close()
    config["recorder"] = {"source_coll": "live", "dedup_policy": None}
    config["collections"] = {"live": "$live"}
    config["collections_root"] = "collections"
    config["autoindex"] = 1
else:
    if not os.path.exists("index.cdxj"):
        write_index(["--cdxj", "--sort", "--output", "index.cdxj", "archive"])
    config["collections"] = {"test": {"index_paths": "index.cdxj", "archive_paths": "archive/"}}
archive = FrontEndApp(config_file=None, custom_config=config)
server = WSGIServer(("127.0.0.1", 0), archive, handler_class=RequestURIWSGIHandler, log=None)
server.start()
print("port", server.server_port, flush=True)
# The parent process closes the pipe, and pywb prints when it finds a collection.
sys.stdout = open(os.devnull, "w")
FileObjectThread(sys.stdin.buffer).read()
os._exit(0)
