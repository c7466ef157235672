"""Peak memory of indexing a 2-hour video against a 2-minute one.

Run: ``python -m tests.benchmarks.bench_long [--hours 2]`` (starts a server of its own; needs the test data).
The videos are a real clip, looped without decoding it; the detector is ``motion``. Goal: <= 1.3.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import av

from tests.benchmarks.machine import own_server, print_load, test_data

CHILD = """
import json, resource, subprocess, sys
from ravu_kg.cli import main
try:
    main()
finally:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"peak": peak}), file=sys.stderr)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=2.0)
    hours = parser.parse_args().hours
    print_load()
    clip = test_data() / "mot" / "TUD-Stadtmitte" / "TUD-Stadtmitte.mp4"
    with tempfile.TemporaryDirectory() as folder, own_server():
        os.environ.update(RAVU_KG_CACHE=str(Path(folder) / "cache"), RAVU_KG_MODELS__DETECT="motion")
        peaks_mb: list[float] = []
        for minutes in (2.0, hours * 60):
            looped = Path(folder) / f"loop_{minutes:g}_min.mp4"
            loop(clip, looped, minutes * 60)
            peaks_mb.append(peak_of_indexing(looped))
            print(f"{minutes:6.0f} min of video: peak {peaks_mb[-1]:.0f} MB", flush=True)
    print(f"ratio {peaks_mb[1] / peaks_mb[0]:.2f} (goal 1.3)")
    print_load()


def loop(clip: Path, target: Path, duration_s: float) -> None:
    """Repeat a clip's packets until the duration is reached."""
    with av.open(target, "w") as output:
        stream = None
        offset = 0
        while stream is None or float(offset * stream.time_base) < duration_s:
            with av.open(clip) as source:
                video = source.streams.video[0]
                if stream is None:
                    stream = output.add_stream_from_template(video)
                    stream.time_base = video.time_base
                length = 0
                for packet in source.demux(video):
                    if packet.dts is None:
                        continue
                    length = max(length, packet.pts + (packet.duration or 1))
                    packet.pts += offset
                    packet.dts += offset
                    packet.time_base = video.time_base
                    packet.stream = stream
                    output.mux(packet)
                offset += length


def peak_of_indexing(video: Path) -> float:
    """Peak resident memory in MB of a process that indexes the video."""
    done = subprocess.run([sys.executable, "-c", CHILD, "index", str(video)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    peak = json.loads(done.stderr.strip().splitlines()[-1])["peak"]
    return float(peak) / (1024 if sys.platform != "darwin" else 1024 * 1024)


if __name__ == "__main__":
    main()
