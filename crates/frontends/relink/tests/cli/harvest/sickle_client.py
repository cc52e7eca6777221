"""Harvests all records with Sickle and prints their locations as JSON."""
import json
import sys

from sickle import Sickle

client = Sickle(sys.argv[1])
assert client.Identify().deletedRecord == "persistent"
records, deleted = {}, []
for record in client.ListRecords(metadataPrefix="oai_dc"):
    if record.header.deleted:
        deleted.append(record.header.identifier)
        records[record.header.identifier] = None
    else:
        records[record.header.identifier] = record.metadata["identifier"]
changed = [it.identifier for it in client.ListIdentifiers(metadataPrefix="oai_dc", **{"from": "2026-01-05"})]
print(json.dumps({"records": records, "deleted": deleted, "changed": changed}))
