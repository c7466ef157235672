"""The last step of hierarchical retrieval without a model: of the moments of all events those that tell of the whole.

The moments nearest to a question about a whole video are often one scene's. It is answered better by moments from all
over it that together say what all of it says: what is often said there is often said by them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence

from ravu_kg.reasoning.protocols import Glimpse


def spread(glimpses: Sequence[Glimpse], words_of: Callable[[str], Collection[str]], count: int) -> list[int]:
    """Positions of one glimpse of each of ``count`` equal stretches of time, then of others where stretches are empty.

    Each next one is the glimpse that says most of what is still missing: a word should be said by as large a share of
    those chosen as of all. Of equals it is the one nearer to the question, then the earlier one.

    Args:
        glimpses: to choose from.
        words_of: words of a text that carry meaning.
        count: how many are chosen, if there are as many.
    """
    said = [frozenset(words_of(one.text)) for one in glimpses]
    missing = {word: count * often / len(said) for word, often in Counter(word for one in said for word in one).items()}
    stretches = _stretches([one.timestamp_s for one in glimpses], count)
    chosen: list[int] = []
    taken: set[int] = set()
    left = list(range(len(glimpses)))

    def worth(one: int) -> tuple[float, float, float]:
        new = math.fsum(min(1.0, missing[word]) for word in said[one])
        return new, glimpses[one].score, -glimpses[one].timestamp_s

    while left and len(chosen) < count:
        best = max([one for one in left if stretches[one] not in taken] or left, key=worth)
        chosen.append(best)
        left.remove(best)
        taken.add(stretches[best])
        for word in said[best]:
            missing[word] = max(0.0, missing[word] - 1.0)
    return chosen


def _stretches(times_s: Sequence[float], count: int) -> list[int]:
    """In which of ``count`` equal stretches each time lies."""
    start_s, end_s = min(times_s, default=0.0), max(times_s, default=0.0)
    length_s = (end_s - start_s) or 1.0
    return [min(count - 1, int((time_s - start_s) / length_s * count)) for time_s in times_s]
