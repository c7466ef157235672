from __future__ import annotations

import contextlib
import hashlib
import os
import socket
import threading
import weakref
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from video_clips import MakeClip, number_in

from ravu_kg.errors import VideoError
from ravu_kg.video.reader import frames_at, probe, read_frames
from ravu_kg.video.sampling import sample_positions


def test_measures_size_duration_and_rate(make_clip: MakeClip) -> None:
    path = make_clip(frames=20, size=(64, 48))

    video = probe(path)

    assert (video.width_px, video.height_px, video.rotation_deg) == (64, 48, 0)
    assert video.duration_s == pytest.approx(0.8)
    assert video.frame_rate == pytest.approx(25)
    assert video.content_hash == hashlib.sha256(path.read_bytes()).hexdigest()
    assert video.title == "clip"


def test_reads_every_frame_in_presentation_order_over_b_frames(make_clip: MakeClip) -> None:
    frames = list(read_frames(probe(make_clip(frames=20, b_frames=3)), None))

    assert [number_in(frame.image) for frame in frames] == list(range(20))
    assert [frame.source_frame for frame in frames] == list(range(20))
    assert [frame.timestamp_s for frame in frames] == pytest.approx([0.04 * n for n in range(20)])


@pytest.mark.parametrize(
    ("rate_hz", "expected"),
    [(5, [0, 5, 10, 15]), (10, [0, 3, 5, 8, 10, 13, 15, 18]), (1, [0]), (1000, list(range(20)))],
)
def test_gives_the_first_frame_at_or_after_each_tick(make_clip: MakeClip, rate_hz: float, expected: list[int]) -> None:
    frames = list(read_frames(probe(make_clip(frames=20)), rate_hz))

    assert [frame.source_frame for frame in frames] == expected
    assert [number_in(frame.image) for frame in frames] == expected


@pytest.mark.parametrize(("codec", "name"), [("libx264", "a.mp4"), ("mpeg4", "a.avi"), ("libvpx-vp9", "a.webm")])
@pytest.mark.parametrize("rate_hz", [3, 7, 10])
def test_frames_at_a_rate_are_those_of_the_whole_to_the_bit(
    make_clip: MakeClip, codec: str, name: str, rate_hz: float
) -> None:
    video = probe(make_clip(name, frames=20, b_frames=3, gop=20, codec=codec))
    whole = {frame.source_frame: frame for frame in read_frames(video, None)}

    frames = list(read_frames(video, rate_hz))

    times_s = [frame.timestamp_s for frame in whole.values()]
    assert [frame.source_frame for frame in frames] == sample_positions(times_s, 1 / rate_hz)
    assert all(np.array_equal(frame.image, whole[frame.source_frame].image) for frame in frames)


def test_variable_frame_rate_goes_by_presentation_time(make_clip: MakeClip) -> None:
    times_ms = [0, 10, 20, 30, 900, 1000, 1010, 4000, 4010, 4100]
    video = probe(make_clip("uneven.mkv", frames=10, times_ms=times_ms))

    frames = list(read_frames(video, 1))

    assert [frame.timestamp_s for frame in frames] == pytest.approx([0, 1, 4])  # 4 s is the first for three ticks
    assert [frame.source_frame for frame in frames] == [0, 5, 7]
    assert video.duration_s == pytest.approx(4.1, abs=0.1)


def test_time_starts_at_the_first_displayed_frame(make_clip: MakeClip) -> None:
    path = make_clip("late.mkv", frames=5, times_ms=[5000, 5040, 5080, 5120, 5160])

    frames = list(read_frames(probe(path), None))

    assert [frame.timestamp_s for frame in frames] == pytest.approx([0, 0.04, 0.08, 0.12, 0.16])


@pytest.mark.parametrize("cut_s", [0.2, 0.33, 0.36, 0.4, 0.5, 0.79])
@pytest.mark.parametrize("name", ["clip.mp4", "clip.mkv", "clip.avi", "clip.ts"])
def test_two_stretches_give_the_frames_of_the_whole(make_clip: MakeClip, name: str, cut_s: float) -> None:
    video = probe(make_clip(name, b_frames=0 if name.endswith("avi") else 2))

    whole = list(read_frames(video, 7))
    parts = [*read_frames(video, 7, end_s=cut_s), *read_frames(video, 7, start_s=cut_s)]

    assert [(p.source_frame, p.timestamp_s) for p in parts] == [(w.source_frame, w.timestamp_s) for w in whole]
    assert all(np.array_equal(p.image, w.image) for p, w in zip(parts, whole, strict=True))


def test_a_stretch_includes_its_start_and_not_its_end(make_clip: MakeClip) -> None:
    video = probe(make_clip(frames=20))

    assert [frame.source_frame for frame in read_frames(video, None, start_s=0.2, end_s=0.4)] == [5, 6, 7, 8, 9]


def test_frames_at_gives_the_frame_on_display_in_the_order_asked(make_clip: MakeClip) -> None:
    video = probe(make_clip(frames=20))

    numbers = [frame.source_frame for frame in frames_at(video, [0.4, 0.05, 0.76, 0.4, 0.41, 99, 0, -1])]

    assert numbers == [10, 1, 19, 10, 10, 19, 0, 0]


def test_frames_at_gives_back_each_frame_at_its_own_time(make_clip: MakeClip) -> None:
    video = probe(make_clip(frames=20, times_ms=[n * 33 + n % 3 for n in range(20)]))
    wanted = list(read_frames(video, None))

    found = list(frames_at(video, [frame.timestamp_s for frame in reversed(wanted)]))

    assert [frame.source_frame for frame in found] == [frame.source_frame for frame in reversed(wanted)]
    assert all(np.array_equal(f.image, w.image) for f, w in zip(found, reversed(wanted), strict=True))


@pytest.mark.parametrize(
    ("rotation", "clockwise_deg", "corner"),
    [(-90, 90, "top right"), (180, 180, "bottom right"), (90, 270, "bottom left"), (0, 0, "top left")],
)
def test_rotation_is_applied_once(make_clip: MakeClip, rotation: int, clockwise_deg: int, corner: str) -> None:
    path = make_clip(size=(64, 48), frames=2, rotation=rotation)
    video = probe(path)

    image = next(read_frames(video, None)).image

    assert video.rotation_deg == clockwise_deg
    assert image.shape == (video.height_px, video.width_px, 3)
    assert (video.width_px, video.height_px) == ((48, 64) if rotation in (90, -90) else (64, 48))
    assert _reddest_corner(image) == corner
    other_player = cv2.VideoCapture(str(path)).read()[1]
    assert _reddest_corner(other_player[..., ::-1]) == corner


@pytest.mark.parametrize(("rotation", "corner"), [(0, "top right"), (90, "bottom right")])
def test_mirrored_pictures_are_put_right(make_clip: MakeClip, rotation: int, corner: str) -> None:
    video = probe(make_clip(frames=2, rotation=rotation, mirrored=True))

    assert video.rotation_deg == rotation
    assert _reddest_corner(next(read_frames(video, None)).image) == corner


@pytest.mark.parametrize(("rotation", "size"), [(None, (128, 48)), (90, (48, 128))])
def test_anamorphic_pictures_get_square_pixels(
    make_clip: MakeClip, rotation: int | None, size: tuple[int, int]
) -> None:
    video = probe(make_clip(frames=2, size=(64, 48), pixel_aspect=Fraction(2), rotation=rotation))

    assert (video.width_px, video.height_px) == size
    assert next(read_frames(video, None)).image.shape == (size[1], size[0], 3)


@pytest.mark.parametrize(
    ("size", "frames"),
    [((63, 47), 3), ((3840, 2160), 2), ((64, 48), 1), ((2, 2), 3)],
    ids=["odd", "4K", "one frame", "tiny"],
)
def test_unusual_but_valid_files_are_read(make_clip: MakeClip, size: tuple[int, int], frames: int) -> None:
    video = probe(make_clip(size=size, frames=frames))

    found = list(read_frames(video, None))

    assert [number_in(frame.image) for frame in found] == list(range(frames))
    assert found[0].image.shape == (size[1], size[0], 3)
    assert 0 < video.duration_s < 1


@pytest.mark.parametrize("name", ["-i.mp4", "my clip.mp4", "видео 猫.mp4", "a:b.mp4", "http:x.mp4", "50%25d.mp4"])
def test_any_name_is_just_a_name(make_clip: MakeClip, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_clip("folder/clip.mp4", frames=3)
    path.rename(path.with_name(name))
    monkeypatch.chdir(path.parent)

    assert len(list(read_frames(probe(Path(name)), None))) == 3


def test_one_picture_is_a_video_of_one_frame(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    cv2.imwrite(str(path), np.full((20, 30, 3), 200, np.uint8))

    (frame,) = read_frames(probe(path), 5)

    assert frame.image.shape == (20, 30, 3)


def test_a_wrong_duration_in_the_container_is_not_believed(make_clip: MakeClip) -> None:
    path = make_clip(frames=20)
    content = bytearray(path.read_bytes())
    for box in (b"mvhd", b"mdhd", b"tkhd"):  # version 0: duration is 16 or 20 bytes after the flags
        at = content.index(box) + (24 if box == b"tkhd" else 20)
        content[at : at + 4] = (10**7).to_bytes(4, "big")
    path.write_bytes(content)

    assert probe(path).duration_s == pytest.approx(0.8)


def test_an_edit_list_moves_the_first_displayed_frame(make_clip: MakeClip) -> None:
    path = make_clip(frames=20, gop=5, b_frames=0)
    content = bytearray(path.read_bytes())
    at = content.index(b"elst") + 16  # media time of the first entry
    with av.open(str(path)) as container:
        seventh_pts = round(0.28 / container.streams.video[0].time_base)
    content[at : at + 4] = (int.from_bytes(content[at : at + 4], "big") + seventh_pts).to_bytes(4, "big")
    path.write_bytes(content)

    frames = list(read_frames(probe(path), None))

    assert [number_in(frame.image) for frame in frames] == list(range(7, 20))
    assert (frames[0].timestamp_s, frames[0].source_frame) == (0, 0)
    assert frames[-1].source_frame == 12


def test_damaged_frames_in_the_middle_are_skipped(make_clip: MakeClip) -> None:
    path = make_clip(frames=20, gop=5, b_frames=0)
    with av.open(str(path)) as container:
        positions = [(packet.pos, packet.size) for packet in container.demux(video=0) if packet.size]
    content = bytearray(path.read_bytes())
    for position, size in positions[7:9]:
        content[position : position + size] = b"\xff" * size
    path.write_bytes(content)
    video = probe(path)

    frames = list(read_frames(video, None))

    numbers = [number_in(frame.image) for frame in frames if frame.source_frame < 7 or frame.source_frame > 9]
    assert numbers == [*range(7), *range(10, 20)]
    assert [f.source_frame for f in frames] == sorted({f.source_frame for f in frames})


def test_a_file_that_breaks_off_is_read_as_far_as_it_goes(make_clip: MakeClip) -> None:
    path = make_clip(frames=20, gop=5, b_frames=0, container_options={"movflags": "faststart"})
    with av.open(str(path)) as container:
        ends = [packet.pos + packet.size for packet in container.demux(video=0) if packet.size]
    path.write_bytes(path.read_bytes()[: ends[11]])

    video = probe(path)

    assert [frame.source_frame for frame in read_frames(video, None)] == list(range(12))
    assert video.duration_s == pytest.approx(0.48)


def _cut_before_the_index(path: Path) -> Path:
    content = path.read_bytes()
    path.write_bytes(content[: content.index(b"moov") - 4])
    return path


def test_bad_files_are_named_with_cause_and_next_action(make_clip: MakeClip, sound_only: Path, tmp_path: Path) -> None:
    empty, text, playlist = tmp_path / "empty.mp4", tmp_path / "text.mp4", tmp_path / "list.mp4"
    empty.touch()
    text.write_text("This is a shopping list: milk, bread.\n" * 50)
    playlist.write_text(f"#EXTM3U\n#EXTINF:1,\n{make_clip('target.ts')}\n")
    cases = {
        tmp_path / "missing.mp4": "no such file",
        tmp_path: "folder",
        empty: "empty",
        text: "not a video",
        playlist: "not a video",
        sound_only: "no video stream",
        _cut_before_the_index(make_clip("cut.mp4")): "cut off",
        make_clip("none.mkv", frames=0): "",
    }
    for path, cause in cases.items():
        with pytest.raises(VideoError) as caught:
            probe(path)
        message = str(caught.value)
        assert str(path) in message
        assert cause in message
        assert any(word in message for word in ("Check", "Give", "Copy", "Name")), message


def test_a_playlist_never_reaches_the_network(tmp_path: Path) -> None:
    reached: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(1)

        def accept() -> None:
            with contextlib.suppress(OSError):
                connection, address = server.accept()
                reached.append(address)
                connection.close()

        listener = threading.Thread(target=accept)
        listener.start()
        playlist = tmp_path / "list.m3u8"
        address = f"http://127.0.0.1:{server.getsockname()[1]}/a.ts"
        playlist.write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{address}\n#EXT-X-ENDLIST\n")
        with pytest.raises(VideoError):
            probe(playlist)
        listener.join()
    assert not reached


def test_a_forbidden_file_is_named_with_its_cause(make_clip: MakeClip) -> None:
    path = make_clip()
    path.chmod(0)
    root = os.geteuid() == 0  # root may read everything: become nobody for a moment
    if root:
        os.seteuid(65534)
    try:
        with pytest.raises(VideoError, match="no permission"):
            probe(path)
    finally:
        if root:
            os.seteuid(0)


def test_a_video_that_vanished_is_a_video_error(make_clip: MakeClip) -> None:
    path = make_clip()
    video = probe(path)
    path.unlink()

    with pytest.raises(VideoError, match=r"clip\.mp4"):
        next(read_frames(video, 5))


def test_pictures_are_let_go_as_the_reading_goes_on(make_clip: MakeClip) -> None:
    seen: list[weakref.ref[np.ndarray]] = []

    for frame in read_frames(probe(make_clip(frames=24)), None):
        seen.append(weakref.ref(frame.image))
        assert sum(picture() is not None for picture in seen) <= 2


def _reddest_corner(image: np.ndarray) -> str:
    height_px, width_px = image.shape[:2]
    redness = image[..., 0].astype(int) - image[..., 2]
    halves = {"top": slice(None, height_px // 2), "bottom": slice(height_px // 2, None)}
    sides = {"left": slice(None, width_px // 2), "right": slice(width_px // 2, None)}
    return max(
        (f"{row} {column}" for row in halves for column in sides),
        key=lambda name: redness[halves[name.split()[0]], sides[name.split()[1]]].mean(),
    )
