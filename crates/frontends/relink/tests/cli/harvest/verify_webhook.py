"""Verifies the signature of a webhook. Arguments: the secret, the header `Relink-Signature`, and
the body. Prints `valid` or `invalid`."""
import hashlib
import hmac
import sys

secret, header, body = sys.argv[1:]
fields = dict(part.split("=", 1) for part in header.split(","))
signed = f"{fields['t']}.{body}".encode()
expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
print("valid" if hmac.compare_digest(expected, fields["v1"]) else "invalid")
