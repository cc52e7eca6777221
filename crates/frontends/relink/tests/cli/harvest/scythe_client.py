"""Harvests all records with oaipmh-scythe and prints their locations as JSON."""
import json
import sys

from oaipmh_scythe import Scythe

records, deleted = {}, []
with Scythe(sys.argv[1]) as client:
    for record in client.list_records(metadata_prefix="oai_dc", ignore_deleted=False):
        if record.header.deleted:
            deleted.append(record.header.identifier)
            records[record.header.identifier] = None
        else:
            records[record.header.identifier] = record.metadata["identifier"]
    changed = [
        it.identifier
        for it in client.list_identifiers(metadata_prefix="oai_dc", from_="2026-01-05", ignore_deleted=False)
    ]
print(json.dumps({"records": records, "deleted": deleted, "changed": changed}))
