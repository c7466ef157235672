"""What near and far mean in the picture, for relations that are measured and for questions about them.

The gap between two boxes is compared with the pair's scale: the mean of the two entities' sizes, where a size is the
square root of the box's area, median over the track. Between the two thresholds neither is said.
"""

from __future__ import annotations

NEAR_SIZES = 0.5
"""A gap up to half the pair's scale is near."""
FAR_SIZES = 1.5
"""A gap from one and a half of the pair's scale is far."""
