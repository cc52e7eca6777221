"""A mail server that prints each mail as JSON. It rejects `unknown@…` with 550 and accepts
`later@…` on the second attempt. With `--events`, it also prints each command. With `--tls CERT
KEY`, it requires STARTTLS, with `--password PASSWORD` a login."""
import email
import email.policy
import json
import socket
import ssl
import sys
import time

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

events = "--events" in sys.argv


def report(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


class Sink:
    attempts = 0

    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        session.host_name = hostname
        if events:
            report("EHLO")
        return responses

    async def handle_MAIL(self, server, session, envelope, address, options):
        envelope.mail_from = address
        if events:
            report("MAIL")
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if events:
            report("RCPT")
        if address.startswith("unknown@"):
            return "550 5.1.1 unknown user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        reply = "250 OK"
        if envelope.rcpt_tos[0].startswith("later@"):
            Sink.attempts += 1
            if Sink.attempts == 1:
                reply = "451 4.7.1 later"
        report(
            "accepted", to=envelope.rcpt_tos[0], id=message["Message-ID"], state=reply[:3],
            subject=message["Subject"], text=message.get_content(),
            is_encrypted=session.ssl is not None)
        return reply


options = {}
if "--tls" in sys.argv:
    index = sys.argv.index("--tls")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[index + 1], sys.argv[index + 2])
    options = {"tls_context": context, "require_starttls": True}

if "--password" in sys.argv:
    password = sys.argv[sys.argv.index("--password") + 1].encode()

    def authenticate(server, session, envelope, mechanism, login):
        return AuthResult(success=login.password == password, handled=False)

    options = {
        "authenticator": authenticate, "auth_required": True, "auth_require_tls": False}

# The controller connects to its own port, so it cannot select a free one.
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
controller = Controller(Sink(), hostname="127.0.0.1", port=port, **options)
controller.start()
print("port", port, flush=True)
while True:
    time.sleep(3600)
