"""Certificates for the cases over TLS, made by `openssl` in a temporary folder."""

from __future__ import annotations

import os
import ssl
import subprocess
from pathlib import Path
from typing import Dict, List


class Certificates:
    """A CA, servers by name, and a client. Made once for all languages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ca = self._authority("ca")
        self.other_ca = self._authority("other-ca")
        both = "subjectAltName=DNS:localhost,IP:127.0.0.1"
        usage = "extendedKeyUsage=serverAuth"
        self._issue("good", [both, usage])
        self._issue("other-name", ["subjectAltName=DNS:assay.example,IP:192.0.2.1", usage])
        self._issue("name-alone", ["subjectAltName=DNS:localhost", usage])
        self._issue("common-name", [usage], subject="localhost")
        self._issue("expired", [both, usage], dates=["20200101000000Z", "20210101000000Z"])
        self._issue("future", [both, usage], dates=["20900101000000Z", "20910101000000Z"])
        self._issue("for-clients", [both, "extendedKeyUsage=clientAuth"])
        self._issue("client", ["subjectAltName=URI:spiffe://example.org/uploads", "extendedKeyUsage=clientAuth"])
        self._key("self-signed")
        self._openssl("req", "-x509", "-new", "-key", "self-signed.key", "-days", "30", "-subj", "/CN=localhost", "-addext", both, "-out", "self-signed.pem")
        self.not_pem = folder / "not.pem"
        self.not_pem.write_text("no certificate\n")

    def placeholders(self) -> Dict[str, str]:
        """What stands in options of cases for these files."""
        return {
            "ca": str(self.ca),
            "other_ca": str(self.other_ca),
            "client_certificate": str(self.folder / "client.pem"),
            "client_key": str(self.folder / "client.key"),
            "not_pem": str(self.not_pem),
        }

    def server(self, name: str) -> ssl.SSLContext:
        """The context of a server: `mutual` has the good certificate and asks for the client's."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        file = "good" if name == "mutual" else name
        context.load_cert_chain(self.folder / f"{file}.pem", self.folder / f"{file}.key")
        context.set_alpn_protocols(["http/1.1"])
        if name == "mutual":
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self.ca)
        return context

    def request(self) -> bytes:
        """A certificate signing request of a new key, as DER."""
        new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", os.devnull]
        return self._openssl("req", "-new", *new, "-subj", "/CN=device", "-outform", "DER")

    def _openssl(self, *arguments: str) -> bytes:
        return subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True, timeout=30).stdout

    def _key(self, name: str) -> None:
        self._openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", f"{name}.key")

    def _authority(self, name: str) -> Path:
        self._key(name)
        self._openssl(
            "req", "-x509", "-new", "-key", f"{name}.key", "-days", "30", "-subj", f"/CN={name}",
            "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-out", f"{name}.pem",
        )  # fmt: skip
        (self.folder / f"{name}.txt").write_text("")
        (self.folder / f"{name}.srl").write_text("1000\n")
        return self.folder / f"{name}.pem"

    def _issue(self, name: str, extensions: List[str], subject: str = "", dates: List[str] = []) -> None:
        self._key(name)
        self._openssl("req", "-new", "-key", f"{name}.key", "-subj", f"/CN={subject or name}", "-out", f"{name}.csr")
        lines = ["basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature", *extensions]
        (self.folder / f"{name}.cnf").write_text(
            "\n".join(
                ["[ca]", "default_ca=own", "[own]", "database=ca.txt", "serial=ca.srl", "new_certs_dir=.", "default_md=sha256", "policy=any", "unique_subject=no", "[any]", "commonName=supplied", "[ext]", *lines, ""]
            )
        )
        period = ["-startdate", dates[0], "-enddate", dates[1]] if dates else ["-days", "30"]
        self._openssl(
            "ca", "-batch", "-config", f"{name}.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-extensions", "ext", "-notext",
            *period, "-in", f"{name}.csr", "-out", f"{name}.pem",
        )  # fmt: skip
