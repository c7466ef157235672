"""Built-in plug-ins. Nobody imports this package: each module is reached by its entry point."""

import os

# From its import on, onnxruntime notes events about this machine in the user's cache folder, to be sent to its vendor.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
