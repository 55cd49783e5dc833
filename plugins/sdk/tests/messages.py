"""The messages of the plugin protocol, generated from proto/ by protoc into a temporary folder at import."""
import atexit
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]

_folder = tempfile.mkdtemp(prefix="assay-messages-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
subprocess.run(
    ["protoc", f"--proto_path={ROOT / 'proto'}", f"--python_out={_folder}", "assay/rpc/v1/frame.proto",
     "assay/plugin/v1/plugin.proto", "assay/plugin/v1/host.proto"], check=True)
sys.dont_write_bytecode = True
sys.path.insert(0, _folder)

from assay.plugin.v1 import host_pb2 as host_messages      # noqa: E402
from assay.plugin.v1 import plugin_pb2 as messages         # noqa: E402
from assay.rpc.v1 import frame_pb2 as frames               # noqa: E402

__all__ = ["ROOT", "frames", "host_messages", "messages"]
