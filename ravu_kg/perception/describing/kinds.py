"""What labels say of the things that have them: who walks, who is alive, what stands where it stands."""

from __future__ import annotations

WALKERS = frozenset({"person", "pedestrian", "man", "woman", "boy", "girl", "child", "baby", "adult", "player"})
PEOPLE = WALKERS | {"cyclist", "driver", "rider", "skateboarder", "skier"}
ANIMALS = frozenset(
    {"animal", "bear", "bird", "cat", "cow", "dog", "elephant", "giraffe", "horse", "kitten", "puppy", "sheep", "zebra"}
)
FIXTURES = frozenset(
    {"bed", "bench", "bollard", "building", "couch", "dining table", "door", "fence", "fire hydrant", "lamp", "oven"}
    | {"parking meter", "pole", "potted plant", "refrigerator", "sink", "stop sign", "table", "toilet", "traffic light"}
    | {"tree", "tv", "wall", "window"}
)
"""What does not move by itself: when its box does, it was the camera or the detector."""
