"""Servers with TLS and a password: certificates made on the fly, for this run only."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import ssl
import subprocess
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.servers.builds import SECURITY_PLUGINS, distribution
from tests.servers.model import SecuredServer, ServerSpec, ServerUnavailableError, allowed_ways
from tests.servers.node import Node, make_node
from tests.servers.probe import Door, identify, wait_until
from tests.servers.process import NodeProcess, wait_for_health

_EXTENSIONS = """\
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature, keyEncipherment
extendedKeyUsage = serverAuth, clientAuth
subjectAltName = DNS:localhost, IP:127.0.0.1, IP:::1
"""


@dataclass(frozen=True)
class Certificates:
    """PEM files of a CA and of a server whose certificate it signed."""

    ca_file: Path
    certificate: Path
    key: Path


def fingerprint(certificate: Path) -> str:
    """The SHA-256 of the first certificate in a PEM file, 64 hex digits."""
    first, end, _ = certificate.read_text("ascii").partition("-----END CERTIFICATE-----")
    der = ssl.PEM_cert_to_DER_cert(first + end)
    return hashlib.sha256(der).hexdigest()


def _openssl(*arguments: str, folder: Path) -> None:
    """Run openssl in a folder."""
    try:
        done = subprocess.run(["openssl", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ServerUnavailableError(f"openssl cannot be run: {error}") from error
    if done.returncode:
        raise ServerUnavailableError(f"openssl {arguments[0]} failed: {done.stderr[-800:]}")


def make_certificates(folder: Path) -> Certificates:
    """Make a CA and a server certificate for 127.0.0.1 and localhost, valid for two days."""
    folder.mkdir(parents=True, exist_ok=True)
    new_key = ("-newkey", "rsa:2048", "-nodes")
    _openssl(
        *("req", "-x509", *new_key, "-days", "2", "-subj", "/O=Leitong tests/CN=Test CA"),
        *("-addext", "keyUsage=critical,keyCertSign,cRLSign"),
        *("-keyout", "ca.key", "-out", "ca.pem"),
        folder=folder,
    )
    _openssl(
        *("req", *new_key, "-subj", "/O=Leitong tests/CN=node"),
        *("-keyout", "server.key", "-out", "server.csr"),
        folder=folder,
    )
    (folder / "extensions.cnf").write_text(_EXTENSIONS, "ascii")
    _openssl(
        *("x509", "-req", "-in", "server.csr", "-days", "2", "-sha256"),
        *("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"),
        *("-extfile", "extensions.cnf", "-out", "server.pem"),
        folder=folder,
    )
    # The CA's certificate is sent along, as by the products' own set-up: clients can pin either.
    with (folder / "server.pem").open("a", encoding="ascii") as chain:
        chain.write((folder / "ca.pem").read_text("ascii"))
    return Certificates(folder / "ca.pem", folder / "server.pem", folder / "server.key")


def _elasticsearch_node(spec: ServerSpec, heap: str) -> Node:
    """TLS on HTTP from PEM files, and the password of ``elastic`` still to be typed."""
    return make_node(
        spec,
        home=distribution(spec),
        heap=heap,
        quick=True,
        settings={
            "discovery.type": "single-node",
            "xpack.security.enabled": "true",
            "resource.reload.interval.high": "1s",
            "xpack.security.http.ssl.enabled": "true",
            "xpack.security.http.ssl.key": "certificates/server.key",
            "xpack.security.http.ssl.certificate": "certificates/server.pem",
            "xpack.security.http.ssl.certificate_authorities": "certificates/ca.pem",
        },
    )


def _opensearch_node(spec: ServerSpec, heap: str, password: str) -> Node:
    """The security plugin, TLS on HTTP and between nodes, one user ``admin``."""
    plugin = SECURITY_PLUGINS.get(spec)
    if plugin is None:
        raise ServerUnavailableError(f"there is no build of the security plugin for {spec.title}")
    tls = {
        f"plugins.security.ssl.{layer}.{name}": f"certificates/{file}"
        for layer in ("http", "transport")
        for name, file in (
            ("pemcert_filepath", "server.pem"),
            ("pemkey_filepath", "server.key"),
            ("pemtrustedcas_filepath", "ca.pem"),
        )
    }
    node = make_node(
        spec,
        home=distribution(spec, plugins=(plugin,)),
        heap=heap,
        quick=True,
        # The plugin hashes what it finds in this variable: no password in a file.
        environment={"LEITONG_TEST_PASSWORD": password},
        settings={
            **tls,
            "discovery.type": "single-node",
            "plugins.security.ssl.http.enabled": "true",
            "plugins.security.ssl.transport.enforce_hostname_verification": "false",
            "plugins.security.allow_default_init_securityindex": "true",
            "plugins.security.nodes_dn": '["CN=node,O=Leitong tests"]',
            "plugins.security.restapi.roles_enabled": '["all_access"]',
            "plugins.security.audit.type": "noop",
        },
    )
    folder = node.config / "opensearch-security"
    shutil.copytree(node.home / "plugins" / "opensearch-security" / "config", folder)
    (folder / "internal_users.yml").write_text(
        "_meta: {type: internalusers, config_version: 2}\n"
        "admin:\n"
        '  hash: "${envbc.LEITONG_TEST_PASSWORD}"\n'
        "  reserved: false\n"
        "  backend_roles: [admin]\n",
        "ascii",
    )
    return node


def _from_environment(spec: ServerSpec) -> SecuredServer | None:
    """A secured server of the user's own; the only way to one with every feature (API keys)."""
    stem = f"LEITONG_TEST_SECURED_{spec.variable_stem}"
    url = os.environ.get(f"{stem}_URL", "").rstrip("/")
    if not url:
        return None
    values = {name: os.environ.get(f"{stem}_{name}", "") for name in _NEEDED}
    missing = [f"{stem}_{name}" for name, value in values.items() if not value]
    if missing:
        raise ServerUnavailableError(f"{stem}_URL also needs {', '.join(missing)}")
    ca_file = Path(values["CA_FILE"])
    door = Door(url, ca_file=ca_file, username=values["USERNAME"], password=values["PASSWORD"])
    found = identify(door)
    host, _, port = url.partition("://")[2].partition(":")
    shown = ssl.get_server_certificate((host, int(port or 443)))
    return SecuredServer(
        url=url,
        product=found.product,
        version=found.version,
        how="environment",
        ca_file=ca_file,
        ca_fingerprint=fingerprint(ca_file),
        fingerprint=hashlib.sha256(ssl.PEM_cert_to_DER_cert(shown)).hexdigest(),
        username=values["USERNAME"],
        password=values["PASSWORD"],
    )


_ROUNDS = 10_000
_NEEDED = ("CA_FILE", "USERNAME", "PASSWORD")


def secured(spec: ServerSpec, *, heap: str = "512m") -> SecuredServer:
    """A server with TLS and a password: the environment's, else a local process."""
    ways = allowed_ways()
    given = _from_environment(spec) if "environment" in ways else None
    if given is not None:
        return given
    if "process" not in ways:
        raise ServerUnavailableError(f"a secured {spec.title} is started as a local process only")
    password = secrets.token_urlsafe(18)
    if spec.product == "elasticsearch":
        username, node = "elastic", _elasticsearch_node(spec, heap)
    else:
        username, node = "admin", _opensearch_node(spec, heap, password)
    process = NodeProcess(node)
    try:
        certificates = make_certificates(node.config / "certificates")
        node.own()
        if spec.product == "elasticsearch":
            node.tool(
                *("elasticsearch-keystore", "add", "--stdin", "--force", "bootstrap.password"),
                typed=password + "\n",
            )
        url = f"https://127.0.0.1:{node.http_port}"
        process.start()
        door = Door(url, ca_file=certificates.ca_file, username=username, password=password)
        wait_for_health(process, door)
    except BaseException:
        process.discard()
        raise
    return SecuredServer(
        url=url,
        product=spec.product,
        version=spec.version,
        how="process",
        ca_file=certificates.ca_file,
        ca_fingerprint=fingerprint(certificates.ca_file),
        fingerprint=fingerprint(certificates.certificate),
        username=username,
        password=password,
        stop=process.discard,
        grant=partial(_grant_in_files, node, door) if spec.product == "elasticsearch" else partial(_grant_by_api, door),
    )


def _grant_in_files(node: Node, door: Door, name: str, password: str, role: Mapping[str, Any]) -> None:
    """Elasticsearch reads roles and users from files; its API keeps them in an index that this build cannot make.

    The files are written here: the build's own tool for it takes seconds of computing for each user.
    """
    salt = secrets.token_bytes(32)
    hashed = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, _ROUNDS, dklen=32)
    known = f"{{PBKDF2}}{_ROUNDS}${b64encode(salt).decode()}${b64encode(hashed).decode()}"
    for file, line in (
        ("roles.yml", f"{name}: {json.dumps(role)}"),
        ("users_roles", f"{name}:{name}"),
        ("users", f"{name}:{known}"),
    ):
        with (node.config / file).open("a", encoding="utf-8") as lines:
            lines.write(f"{line}\n")
    theirs = Door(door.url, door.ca_file, name, password)

    def is_taken() -> bool:
        answer = theirs.request("GET", "/_security/user/_privileges", timeout=60)
        return answer.status == 200 and any(answer.json().values())

    if not wait_until(is_taken, seconds=30):
        raise ServerUnavailableError(f"{door.url} did not take the user {name} from its files")


def _grant_by_api(door: Door, name: str, password: str, role: Mapping[str, Any]) -> None:
    """OpenSearch's security plugin has an API for it."""
    api = "/_plugins/_security/api"
    user = {"password": password, "opendistro_security_roles": [name]}
    for path, body in ((f"{api}/roles/{name}", role), (f"{api}/internalusers/{name}", user)):
        answer = door.request("PUT", path, body=body, timeout=60)
        if answer.status not in (200, 201):
            raise ServerUnavailableError(f"{path} answers {answer.status}: {answer.body!r}")
