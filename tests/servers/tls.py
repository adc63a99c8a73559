"""TLS by a company's own certificate, and a proxy, in front of a judge's server."""

import asyncio
import base64
import shutil
import ssl
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest


def make_certificate(folder: Path, host: str = "127.0.0.1") -> Path:
    """Write a self-signed certificate and its key; skip the test if openssl is not installed."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl makes the certificate")
    path = folder / f"{host}.pem"
    made = (
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
    )
    names = ("-subj", f"/CN={host}", "-addext", f"subjectAltName=IP:{host}")
    key = folder / "key.pem"
    subprocess.run(
        [openssl, *made, *names, "-keyout", key, "-out", path], check=True, capture_output=True
    )
    path.write_text(path.read_text() + key.read_text())
    return path


@contextmanager
def forwarding(target: str, certificate: Path | None = None) -> Iterator[int]:
    """Forward a port to `target`, `host:port`, by TLS if a certificate is given; yield the port."""

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _pipe(reader, writer, target)

    context = None
    if certificate is not None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
    with _serving(connect, context) as port:
        yield port


@contextmanager
def connect_proxy(credentials: str = "") -> Iterator[tuple[int, list[str]]]:
    """Run an HTTP proxy for CONNECT; yield its port and the list of targets of all requests.

    With `credentials` (`user:password`), requests without them are refused.
    """
    targets: list[str] = []

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        targets.append(head.split()[1])
        allowed = not credentials or base64.b64encode(credentials.encode()).decode() in head
        status = "200 Connection established" if allowed else "407 Proxy Authentication Required"
        writer.write(f"HTTP/1.1 {status}\r\n\r\n".encode())
        if allowed:
            await _pipe(reader, writer, targets[-1])
        else:
            await writer.drain()
            writer.close()

    with _serving(connect, None) as port:
        yield port, targets


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: str) -> None:
    host, _, port = target.rpartition(":")
    there_reader, there_writer = await asyncio.open_connection(host, int(port))

    async def copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        async with _closing(sink):
            while data := await source.read(65536):
                sink.write(data)
                await sink.drain()

    await asyncio.gather(
        copy(reader, there_writer), copy(there_reader, writer), return_exceptions=True
    )


@asynccontextmanager
async def _closing(writer: asyncio.StreamWriter) -> AsyncIterator[None]:
    try:
        yield
    finally:
        writer.close()


@contextmanager
def _serving(connect: object, context: ssl.SSLContext | None) -> Iterator[int]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def start() -> asyncio.Server:
        return await asyncio.start_server(connect, "127.0.0.1", 0, ssl=context)  # type: ignore[arg-type]

    server = asyncio.run_coroutine_threadsafe(start(), loop).result(30)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        loop.call_soon_threadsafe(server.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)
        loop.close()
