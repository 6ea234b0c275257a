# SPDX-License-Identifier: Apache-2.0
"""Certificates of the tests' own making, with openssl(1)."""
import shutil
import ssl
import subprocess
from pathlib import Path

SETTINGS = """
[ca]
default_ca = own
[own]
database = {folder}/index
serial = {folder}/serial
new_certs_dir = {folder}
default_md = sha256
policy = any
unique_subject = no
copy_extensions = none
[any]
commonName = supplied
[req]
distinguished_name = name
[name]
"""
LONG_AGO, AGO = "20200101000000Z", "20200102000000Z"
# Far enough for every clock that runs this, near enough for GeneralizedTime.
AHEAD, FAR_AHEAD = "21000101000000Z", "21010101000000Z"
HERE = "IP:127.0.0.1,DNS:localhost"


def is_missing():
    return shutil.which("openssl") is None


class Authority:
    """A root and what it signs. Names of files are paths."""

    def __init__(self, folder, name="root", md="sha256"):
        self.folder = Path(folder, name)
        self.folder.mkdir()
        (self.folder / "index").touch()
        (self.folder / "serial").write_text("1000\n")
        self.settings = self.folder / "settings"
        self.settings.write_text(SETTINGS.format(folder=self.folder))
        self.md = md
        self.cert, self.key = self.self_signed(
            "ca", "basicConstraints=critical,CA:TRUE\n"
            "keyUsage=critical,keyCertSign,cRLSign")

    def call(self, *words):
        done = subprocess.run(["openssl", *map(str, words)],
                              stdin=subprocess.DEVNULL, capture_output=True)
        if done.returncode:
            raise OSError(done.stderr.decode("utf-8", "replace")[:800])

    def request(self, name):
        key, asked = self.folder / f"{name}.key", self.folder / f"{name}.csr"
        self.call("req", "-new", "-newkey", "ec", "-pkeyopt",
                  "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
                  "-out", asked, "-subj", f"/CN={name}", "-config",
                  self.settings)
        return asked, key

    def extensions(self, name, text):
        path = self.folder / f"{name}.ext"
        path.write_text(f"[added]\n{text}\n")
        return path

    def self_signed(self, name, text, start=LONG_AGO, end=AHEAD):
        asked, key = self.request(name)
        self.sign(name, asked, text, start, end, "-selfsign", "-keyfile", key)
        return self.folder / f"{name}.crt", key

    def sign(self, name, asked, text, start, end, *signer):
        self.call("ca", "-batch", "-notext", "-config", self.settings, "-in",
                  asked, "-out", self.folder / f"{name}.crt", "-startdate",
                  start, "-enddate", end, "-md", self.md, "-extensions",
                  "added", "-extfile", self.extensions(name, text), *signer)

    def issue(self, name, alt=HERE, start=LONG_AGO, end=AHEAD, more="",
              signer=None):
        """(certificate, key); signer: another pair than the root's."""
        cert, key = signer or (self.cert, self.key)
        asked, own = self.request(name)
        self.sign(name, asked, f"subjectAltName={alt}\n{more}", start, end,
                  "-cert", cert, "-keyfile", key)
        return self.folder / f"{name}.crt", own


def context(pair, clients=None, version=None, chain=()):
    """What a server with this certificate speaks; clients: the authority that
    those who connect must have a certificate of; version: the only one."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if version or chain:
        # Old versions and weak digests are refused by default here, too.
        made.set_ciphers("ALL:@SECLEVEL=0")
    cert, key = pair
    if chain:
        whole = cert.with_suffix(".chain")
        whole.write_bytes(b"".join(Path(c).read_bytes()
                                   for c in (cert, *chain)))
        cert = whole
    made.load_cert_chain(cert, key)
    if version:
        made.minimum_version = made.maximum_version = version
    if clients:
        made.verify_mode = ssl.CERT_REQUIRED
        made.load_verify_locations(clients)
    return made
