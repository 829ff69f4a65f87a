"""Real servers of stores on this machine: S3, Google Cloud Storage, Azure Blob Storage and SFTP."""

import contextlib
import getpass
import importlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

#: Nothing listens on this port.
CLOSED = 9
#: The key that Azurite publishes for its only account.
AZURITE_KEY = (
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)


@dataclass
class Server:
    """How to start the server of a store, and how programs reach it through environment variables."""

    command: list[str]
    #: An address in the store, which exists once the server has started.
    root: str
    #: An address that cannot be used, and what the message says about it.
    missing: tuple[str, str]
    variables: dict[str, str]
    #: The variables with the port of no server.
    down: dict[str, str]
    #: The variables with wrong credentials; None if the server accepts all credentials.
    refused: dict[str, str] | None = None


def s3(port, folder):
    """Return moto's server."""
    need("moto.server", "s3fs", install="moto[server] s3fs")

    def variables(port):
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_ACCESS_KEY_ID": "k",
            "AWS_SECRET_ACCESS_KEY": "s", "AWS_DEFAULT_REGION": "us-east-1",
        }  # fmt: skip

    return Server(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        "s3://bucket", ("s3://buckett/table", "there is no bucket 'buckett'"),
        variables(port), variables(CLOSED),
    )  # fmt: skip


def gs(port, folder):
    """Return gcp-storage-emulator."""
    # gcsfs asks for the kind of a bucket by gRPC, which the emulator has not, and waits a minute.
    own = {"GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false", "FSSPEC_GS_TOKEN": "anon"}

    def variables(port):
        return {**own, "STORAGE_EMULATOR_HOST": f"http://127.0.0.1:{port}"}

    with pytest.MonkeyPatch.context() as patch:  # gcsfs reads the variable when it is imported
        patch.setenv("GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT", "false")
        need("gcp_storage_emulator", "gcsfs", install="gcp-storage-emulator gcsfs")
    command = ["-m", "gcp_storage_emulator", "start", "-H", "127.0.0.1", "--port", str(port), "-M"]
    return Server(
        [sys.executable, *command], "gs://bucket",
        ("gs://buckett/table", "there is no bucket 'buckett'"), variables(port), variables(CLOSED),
    )  # fmt: skip


def az(port, folder):
    """Return Azurite, of npm."""
    need("adlfs", install="adlfs")
    program = shutil.which("azurite-blob")
    if program is None:
        pytest.skip("azurite-blob is not on the PATH: npm install azurite")

    def variables(port, key=AZURITE_KEY):
        endpoint = f"http://127.0.0.1:{port}/devstoreaccount1"
        parts = {"DefaultEndpointsProtocol": "http", "AccountName": "devstoreaccount1",
                 "AccountKey": key, "BlobEndpoint": endpoint}  # fmt: skip
        joined = ";".join(f"{name}={value}" for name, value in parts.items())
        return {"AZURE_STORAGE_CONNECTION_STRING": joined}

    options = ["--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck"]
    return Server(
        [program, "--blobHost", "127.0.0.1", "--blobPort", str(port), *options],
        "az://bucket", ("az://buckett/table", "there is no container 'buckett'"),
        variables(port), variables(CLOSED), variables(port, "x" + AZURITE_KEY[1:]),
    )  # fmt: skip


def sftp(port, folder):
    """Return OpenSSH's server; users log in with a key."""
    need("paramiko", install="paramiko")
    program = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None or shutil.which("ssh-keygen") is None:
        pytest.skip("sshd is not installed: apt-get install openssh-server")
    for name in ("host", "user", "stranger"):
        key = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(key, check=True)
    settings = {
        "ListenAddress": "127.0.0.1", "Port": port, "HostKey": folder / "host", "PidFile": "none",
        "AuthorizedKeysFile": folder / "user.pub", "StrictModes": "no", "UsePAM": "no",
        "PasswordAuthentication": "no", "Subsystem": "sftp internal-sftp",
    }  # fmt: skip
    (folder / "config").write_text("".join(f"{name} {settings[name]}\n" for name in settings))
    if os.geteuid() == 0:  # sshd needs this empty folder, which Debian's service makes
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)

    def variables(port, key="user"):
        options = {"port": port, "username": getpass.getuser(), "key_filename": str(folder / key),
                   "look_for_keys": False, "allow_agent": False}  # fmt: skip
        return {"FSSPEC_SFTP": json.dumps(options)}

    return Server(
        [program, "-D", "-e", "-f", str(folder / "config")],
        f"sftp://127.0.0.1{folder}/stored", ("sftp://127.0.0.1/dev/null/table", "cannot write"),
        variables(port), variables(CLOSED), variables(port, "stranger"),
    )  # fmt: skip


SERVERS = {"s3": s3, "gs": gs, "az": az, "sftp": sftp}


def need(*modules, install):
    """Skip a test if one of these modules cannot be imported."""
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            pytest.skip(f"{module.partition('.')[0]} is not installed: pip install {install}")


def started(name, folder):
    """Start the server of a store, make its root, and return it with its process."""
    from upath import UPath

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = SERVERS[name](port, folder)
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen(server.command, stdout=log, stderr=log, cwd=folder)
    try:
        for _ in range(300):
            if process.poll() is not None or _listens(port):
                break
            time.sleep(0.1)
        with in_environment(server.variables):
            root = UPath(server.root)
            root.fs.mkdir(root.path.rstrip("/"), create_parents=True)
    except BaseException:
        process.kill()
        process.wait()
        print((folder / "server.log").read_text())
        raise
    return server, process


def _listens(port):
    with socket.socket() as attempt:
        return attempt.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def in_environment(variables):
    """Set variables in this process, as if it had been started with them."""
    from fsspec import config

    options = {}
    config.set_conf_env(options, variables)  # fsspec reads the variables when it is imported
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        for protocol in options:
            patch.setitem(config.conf, protocol, options[protocol])
        yield
