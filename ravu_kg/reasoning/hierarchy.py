"""The last step of hierarchical retrieval without a model: of the best moments of all events those that tell most.

The nearest moments of a long video are often one scene's. A question about the whole is answered better by moments
from all over it, each the best of its stretch of time.
"""

from __future__ import annotations

from collections.abc import Sequence

from ravu_kg.reasoning.protocols import Glimpse


def spread(glimpses: Sequence[Glimpse], count: int) -> list[int]:
    """Positions of the best glimpse of each of ``count`` equal stretches of time, best first, then of the next best.

    What is said twice comes last.
    """
    ranked = sorted(range(len(glimpses)), key=lambda one: (-glimpses[one].score, glimpses[one].timestamp_s))
    first = list({glimpses[one].text: one for one in reversed(ranked)}.values())[::-1]
    start_s = min((one.timestamp_s for one in glimpses), default=0.0)
    length_s = max((one.timestamp_s for one in glimpses), default=0.0) - start_s
    taken: set[int] = set()
    chosen: list[int] = []
    for one in first:
        share = (glimpses[one].timestamp_s - start_s) / length_s if length_s > 0 else 0.0
        stretch = min(count - 1, int(share * count))
        if stretch not in taken:
            taken.add(stretch)
            chosen.append(one)
    rest = [one for one in (*first, *ranked) if one not in chosen]
    return list(dict.fromkeys((*chosen, *rest)))[:count]
