"""A mail server that prints each mail as JSON. It rejects `unknown@…` with 550 and accepts
`later@…` on the second attempt."""
import email
import email.policy
import json
import socket
import time

from aiosmtpd.controller import Controller


class Sink:
    attempts = 0

    async def handle_RCPT(self, server, session, envelope, address, options):
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
        print(json.dumps({
            "to": envelope.rcpt_tos[0], "id": message["Message-ID"], "state": reply[:3],
            "subject": message["Subject"], "text": message.get_content()}), flush=True)
        return reply


# The controller connects to its own port, so it cannot select a free one.
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
controller = Controller(Sink(), hostname="127.0.0.1", port=port)
controller.start()
print("port", port, flush=True)
while True:
    time.sleep(3600)
