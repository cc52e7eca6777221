"""Validates responses of an OAI-PMH provider against the schema of the protocol.

Arguments: the base URL, and the file OAI-PMH.xsd. Standard input contains one query per line.
Each query is sent with GET and POST. Prints what was returned and the validation errors."""
import json
import pathlib
import sys
import tempfile

import requests
from lxml import etree

OAI = "http://www.openarchives.org/OAI/2.0/"
# The schema requires declarations of the metadata formats. Their content is not checked here.
FORMATS = {"dc": "http://www.openarchives.org/OAI/2.0/oai_dc/", "lom": "http://ltsc.ieee.org/xsd/LOM"}


def load_schema(path):
    with tempfile.TemporaryDirectory() as directory:
        imports = [(OAI, pathlib.Path(path).resolve().as_uri())]
        for name, namespace in FORMATS.items():
            file = pathlib.Path(directory, f"{name}.xsd")
            file.write_text(
                f'<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="{namespace}">'
                f'<element name="{name}" type="anyType"/></schema>')
            imports.append((namespace, file.as_uri()))
        lines = [f'<import namespace="{name}" schemaLocation="{file}"/>' for name, file in imports]
        text = f'<schema xmlns="http://www.w3.org/2001/XMLSchema">{"".join(lines)}</schema>'
        return etree.XMLSchema(etree.fromstring(text))


url, schema_file = sys.argv[1:]
schema = load_schema(schema_file)
results = {}
for query in sys.stdin.read().split("\n"):
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for response in [requests.get(f"{url}?{query}"), requests.post(url, data=query, headers=form)]:
        tree = etree.fromstring(response.content)
        schema.validate(tree)
        error = tree.find(f"{{{OAI}}}error")
        name = tree[2].tag.removeprefix(f"{{{OAI}}}") if error is None else error.get("code")
        errors = [error.message for error in schema.error_log]
        results.setdefault(query, []).append([response.status_code, name, errors])
print(json.dumps(results))
