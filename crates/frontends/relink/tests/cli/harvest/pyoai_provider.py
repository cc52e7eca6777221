"""An OAI-PMH provider (pyoai) with seven records, one of them deleted, three per page."""
import cgi
from datetime import datetime

# pyoai calls a function that current versions of Python no longer have.
cgi.parse_qs = urllib.parse.parse_qs

from oaipmh import common, metadata, server


class Repository:
    def identify(self):
        return common.Identify(
            "Test", "http://127.0.0.1/", "2.0", ["a@example.org"], datetime(2020, 1, 1),
            "persistent", "YYYY-MM-DDThh:mm:ssZ", [], None)

    def listRecords(self, metadataPrefix, set=None, from_=None, until=None, cursor=0, batch_size=10):
        records = []
        for number in range(7):
            header = common.Header(None, f"oai:py:{number}", datetime(2020, 1, 1 + number), [], number == 3)
            fields = {"title": [f"T{number}"], "identifier": [f"http://py{number}.invalid/"]}
            body = None if number == 3 else common.Metadata(None, fields)
            records.append((header, body, None))
        return records[cursor:cursor + batch_size]


registry = metadata.MetadataRegistry()
registry.registerWriter("oai_dc", server.oai_dc_writer)
oai = server.BatchingServer(Repository(), metadata_registry=registry, resumption_batch_size=3)
serve(oai.handleRequest)
