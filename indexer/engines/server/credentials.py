"""Who are we for a server? Only the environment says, so no secret stands on a command line or in a message.

ELASTICSEARCH_API_KEY                     a key, base64 as the server shows it
ELASTICSEARCH_USERNAME, …_PASSWORD        or a user
ELASTICSEARCH_CA_FILE                     PEM file of the authority that signed the server's certificate
ELASTICSEARCH_FINGERPRINT                 or SHA-256 of the certificate itself

The same with OPENSEARCH_ for OpenSearch. A program may also give a signer: hosted OpenSearch wants each request signed.
"""

import base64
import os
import re
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leitong.indexer.errors import UsageError

Signer = Callable[[str, str, Any], Mapping[str, str]]
"""Method, URL and body of a request to the headers that let it in, as `opensearchpy.Urllib3AWSV4SignerAuth`."""


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """What lets us into servers of one product: what the environment says, and a signer, which goes before it."""

    api_key: str | None = field(default=None, repr=False)
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_file: Path | None = None
    fingerprint: str | None = None
    signer: Signer | None = field(default=None, repr=False)

    @property
    def present(self) -> bool:
        """Whether there is anything that lets us in."""
        return self.signer is not None or self.api_key is not None or self.username is not None

    @property
    def basic(self) -> str | None:
        """User and password as a header `Authorization: Basic` has them, unless there is a key: in UTF-8, which both
        servers read, where their clients know ASCII or Latin-1 only."""
        if self.api_key is not None or self.username is None:
            return None
        pair = f"{self.username}:{self.password or ''}"
        return base64.b64encode(pair.encode(errors="surrogateescape")).decode()

    def tls(self) -> ssl.SSLContext | None:
        """How the server's certificate is checked; None where its fingerprint is compared instead."""
        if self.fingerprint:
            return None
        try:
            return ssl.create_default_context(cafile=str(self.ca_file) if self.ca_file else None)
        except (OSError, ssl.SSLError) as error:
            raise UsageError(f"The CA file {self.ca_file} cannot be used: {error}. It must be a PEM file.") from None


def read(product: str, environment: Mapping[str, str] = os.environ, *, signer: Signer | None = None) -> Credentials:
    """The credentials for a product. Raises UsageError for half a set, for what no header can carry, and for a signer
    where none signs."""
    stem = product.upper()
    if signer is not None and product != "opensearch":
        raise UsageError(
            "A signer is for OpenSearch only; this server is Elasticsearch. Set ELASTICSEARCH_API_KEY instead."
        )

    def get(name: str) -> str | None:
        return environment.get(f"{stem}_{name}", "").strip() or None

    username, ca_file, api_key = get("USERNAME"), get("CA_FILE"), get("API_KEY")
    password = environment.get(f"{stem}_PASSWORD", "").strip("\r\n") or None  # blanks may be part of it
    if api_key is not None and not re.fullmatch("[!-~]+", api_key):  # a client would show it in its error
        raise UsageError(
            f"{stem}_API_KEY holds a blank, a line break or another character that no key has. Set it to the key "
            "alone, in the base64 form that the server shows."
        )
    if username is not None and ":" in username and api_key is None:
        raise UsageError(f"{stem}_USERNAME holds a colon, which no user's name can. Set the name alone.")
    if (username is None) != (password is None) and api_key is None:
        there, missing = ("USERNAME", "PASSWORD") if username else ("PASSWORD", "USERNAME")
        raise UsageError(f"{stem}_{there} is set and {stem}_{missing} is not. Set both.")
    if ca_file is not None and not Path(ca_file).is_file():
        raise UsageError(f"{stem}_CA_FILE names {ca_file}, and there is no such file.")
    fingerprint = (get("FINGERPRINT") or "").replace(":", "").lower()
    if fingerprint and not re.fullmatch("[0-9a-f]{64}", fingerprint):
        raise UsageError(f"{stem}_FINGERPRINT must be the SHA-256 of a certificate: 64 hexadecimal digits.")
    return Credentials(
        api_key=api_key,
        username=username,
        password=password,
        ca_file=Path(ca_file) if ca_file else None,
        fingerprint=fingerprint or None,
        signer=signer,
    )
