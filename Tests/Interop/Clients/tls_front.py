"""TLS before a plain server on this machine, under the names that clients know, with a certificate made for this run."""

import asyncio
import datetime
import os
import socket
import ssl
import threading

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def make_certificates(names, folder):
    """A certificate authority and a certificate of it for the names; returns the two files."""
    now = datetime.datetime.now(datetime.timezone.utc)

    def build(subject, key, issuer, signer, extensions):
        builder = (
            x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
        )
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(signer, hashes.SHA256())

    def named(text):
        return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])

    root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
    root = build(named("Interop root"), root_key, named("Interop root"), root_key, [(x509.BasicConstraints(True, 0), True), (usage, True)])
    leaf = build(named("Interop"), key, root.subject, root_key, [
        (x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), False), (x509.BasicConstraints(False, None), True),
    ])
    pem = serialization.Encoding.PEM
    root_file, chain_file = os.path.join(folder, "root.pem"), os.path.join(folder, "chain.pem")
    with open(root_file, "wb") as file:
        file.write(root.public_bytes(pem))
    with open(chain_file, "wb") as file:
        file.write(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        file.write(leaf.public_bytes(pem))
    return root_file, chain_file


def start(names, port, folder):
    """Listens, sends every name's connections of this process there, and returns the file of the root certificate."""
    root_file, chain_file = make_certificates(names, folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain_file)
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=asyncio.run, args=(accept(listener, context, port),), daemon=True).start()
    resolve = socket.getaddrinfo

    def resolve_here(host, *arguments, **named_arguments):
        if host not in names:
            return resolve(host, *arguments, **named_arguments)
        address = ("127.0.0.1", listener.getsockname()[1])
        return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", address)]

    socket.getaddrinfo = resolve_here
    return root_file


async def accept(listener, context, port):
    """Serves each connection on one thread: OpenSSL's connections are not for two, and one would read what a closed descriptor's successor gets."""

    async def serve(reader, writer):
        server_writer = None
        try:
            server_reader, server_writer = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.gather(copy(reader, server_writer), copy(server_reader, writer))
        except OSError:
            pass  # One of the two went away.
        finally:
            for end in (server_writer, writer):
                if end:
                    end.close()

    server = await asyncio.start_server(serve, sock=listener, ssl=context)
    await server.serve_forever()


async def copy(reader, writer):
    """Passes on what comes, and then its end; TLS has no half-closed connection."""
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
    else:
        writer.close()
