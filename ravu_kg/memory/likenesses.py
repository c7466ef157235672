"""How alike entities are, across videos and re-entries: candidates for one identity, with a score each.

The score is made of looks, of the words of their sentences, and of the labels, which have to agree or be of a kind.
Looks are what an appearance model makes of the pictures (:mod:`ravu_kg.memory.appearances`), or colours by place
(:mod:`ravu_kg.looks`) where it has not seen both. Colours alone do not tell two people in grey apart: of pedestrians
before one camera a tenth of the strangers look as alike as the same one does again. So it ranks, and a person decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations_with_replacement
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ravu_kg.graph.identity import Pair, pair
from ravu_kg.graph.store import Store
from ravu_kg.reasoning.vocabulary import matching_labels
from ravu_kg.types import FloatArray

METHOD = "looks+words+label"
METHOD_WITH_MODEL = "appearance+words+label"
METHOD_WITHOUT_LOOKS = "words+label"
_LEAST_LIKENESS, _FULL_LIKENESS = 0.75, 0.97
_LEAST_APPEARANCE, _FULL_APPEARANCE = 0.4, 0.9
"""Cosines of DINOv2: on four annotated videos strangers of one kind have a median of 0.40 to 0.62, and tracks of one
object of 0.65 to 0.81."""
_LEAST_WORDS = 0.4
_LOOKS_COUNT = 0.75
_MOST_WITHOUT_LOOKS = 0.6
_OTHER_LABEL = 0.85
_UNKNOWN_LOOKS = 0.3
_SENTENCES = 5
_BLOCK = 2000
_EXTRA = 8
"""So many times as many pairs as are asked for are compared by their words, too."""


@dataclass(frozen=True, slots=True)
class Known:
    """What an entity can be compared by."""

    entity_id: str
    identity_id: str
    video_id: str
    title: str
    label: str
    given_name: str | None
    start_s: float
    end_s: float
    look: FloatArray | None
    """Unit length."""
    appearance: FloatArray | None
    """What the appearance model made of it, unit length."""

    @property
    def content(self) -> str:
        """The same for all builds of one video."""
        return self.video_id.partition("~")[0]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Two entities that may be one."""

    first: Known
    second: Known
    score: float
    looks: float | None
    """How alike they look, 0..1; None where no picture was seen."""
    words: float | None
    """How alike what is said of them is, 0..1."""
    by_model: bool
    """Whether an appearance model compared their looks, and not colours."""

    @property
    def ends(self) -> Pair:
        """Their ids."""
        return pair(self.first.entity_id, self.second.entity_id)

    @property
    def method(self) -> str:
        """How the score was made."""
        if self.looks is None:
            return METHOD_WITHOUT_LOOKS
        return METHOD_WITH_MODEL if self.by_model else METHOD

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        ends = [
            {k: v for k, v in asdict(one).items() if k not in ("look", "appearance")}
            for one in (self.first, self.second)
        ]
        parts = {name: None if value is None else round(value, 4) for name, value in self._parts()}
        return {"first": ends[0], "second": ends[1], **parts, "method": self.method}

    def _parts(self) -> list[tuple[str, float | None]]:
        return [("score", self.score), ("looks", self.looks), ("words", self.words)]


def known_entities(store: Store, video_ids: Sequence[str] | None = None) -> list[Known]:
    """The entities of all complete videos, or of some.

    Raises:
        GraphError: Neo4j failed.
    """
    rows = store.read("identities/features", video_ids=None if video_ids is None else list(video_ids)).rows
    models = Counter(str(row["appearance_model"]) for row in rows if row["appearance_model"] is not None)
    usual_model = max(models, key=lambda model: (models[model], model), default=None)
    found = [_known(row, usual_model) for row in rows]
    sizes = Counter(len(one.look) for one in found if one.look is not None)
    usual = max(sizes, key=lambda size: (sizes[size], size), default=0)
    # A look of another version of the package says nothing about those of this one; nor does one of another model.
    return [one if one.look is None or len(one.look) == usual else replace(one, look=None) for one in found]


def suggestions(
    store: Store, entities: Sequence[Known], apart: Collection[Pair], *, among: Collection[str] | None, limit: int
) -> list[Suggestion]:
    """The pairs that are most likely one identity, best first; of two identities the best pair alone.

    Left out are pairs that are one already or kept apart, entities that are in the picture together, and other builds
    of the same video.

    Args:
        store: where sentences are read.
        entities: to compare.
        apart: pairs that were rejected.
        among: at least one of a pair is of these videos; None for any.
        limit: how many.
    """
    order = sorted(entities, key=lambda one: (one.label, one.entity_id))
    of_label: dict[str, list[Known]] = {}
    for one in order:
        of_label.setdefault(one.label, []).append(one)
    ranked: list[tuple[float, Known, Known]] = []
    for label, other in combinations_with_replacement(of_label, 2):
        if label == other or matching_labels(label, [other]) or matching_labels(other, [label]):
            ranked += _best_pairs(of_label[label], of_label[other], among, limit * _EXTRA)
    ranked = [one for one in ranked if pair(one[1].entity_id, one[2].entity_id) not in apart]
    ranked.sort(key=lambda one: (-one[0], one[1].entity_id, one[2].entity_id))
    chosen = [(one, other) for _, one, other in ranked[: limit * _EXTRA]]
    best: dict[Pair, Suggestion] = {}
    for one in sorted(compared(store, chosen), key=lambda one: (-one.score, one.ends)):
        best.setdefault(pair(one.first.identity_id, one.second.identity_id), one)
    return list(best.values())[:limit]


def compared(store: Store, pairs: Sequence[tuple[Known, Known]]) -> list[Suggestion]:
    """Pairs with their scores.

    Raises:
        GraphError: Neo4j failed.
    """
    words = _words(store, sorted({one.entity_id for ends in pairs for one in ends}))
    return [_scored(one, other, words) for one, other in pairs]


def _best_pairs(
    ones: Sequence[Known], others: Sequence[Known], among: Collection[str] | None, count: int
) -> list[tuple[float, Known, Known]]:
    """The pairs that look most alike, by blocks; each once."""
    same_group = ones is others
    found: list[tuple[float, Known, Known]] = []
    for start in range(0, len(ones), _BLOCK):
        block = ones[start : start + _BLOCK]
        scores = _looks(block, others)
        scores[~_possible(block, others, among)] = -1.0
        if same_group:
            scores[np.tril_indices(len(block), start, len(others))] = -1.0
        flat = scores.ravel()
        top = np.argpartition(-flat, min(count, len(flat)) - 1)[:count] if len(flat) else np.zeros(0, dtype=np.intp)
        for place in (int(one) for one in top):
            if flat[place] >= 0:
                row, column = divmod(place, len(others))
                found.append((float(flat[place]), block[row], others[column]))
    return found


def _looks(ones: Sequence[Known], others: Sequence[Known]) -> NDArray[np.float64]:
    """How alike each pair looks, 0..1, likely little where that is not known."""
    by_colors, colors_known = _alike([one.look for one in ones], [one.look for one in others])
    by_model, model_knows = _alike([one.appearance for one in ones], [one.appearance for one in others])
    scores = np.clip((by_colors - _LEAST_LIKENESS) / (_FULL_LIKENESS - _LEAST_LIKENESS), 0.0, 1.0)
    scores[~colors_known] = _UNKNOWN_LOOKS
    seen = np.clip((by_model - _LEAST_APPEARANCE) / (_FULL_APPEARANCE - _LEAST_APPEARANCE), 0.0, 1.0)
    return np.where(model_knows, seen, scores)


def _alike(
    ones: Sequence[FloatArray | None], others: Sequence[FloatArray | None]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Cosines of each pair, and for which pairs both are known."""
    known = np.array([one is not None for one in ones])[:, None] & np.array([one is not None for one in others])
    return _matrix(ones) @ _matrix(others).T if known.any() else np.zeros(known.shape), known


def _matrix(vectors: Sequence[FloatArray | None]) -> NDArray[np.float64]:
    size = next(len(one) for one in vectors if one is not None)
    return np.array([np.zeros(size) if one is None else one for one in vectors], dtype=np.float64)


def _possible(ones: Sequence[Known], others: Sequence[Known], among: Collection[str] | None) -> NDArray[np.bool_]:
    codes: dict[str, int] = {}

    def coded(values: Sequence[str]) -> NDArray[np.int64]:
        return np.array([codes.setdefault(value, len(codes)) for value in values], dtype=np.int64)

    def of(name: str) -> NDArray[np.bool_]:
        return coded([getattr(one, name) for one in ones])[:, None] == coded([getattr(one, name) for one in others])

    starts, ends = np.array([one.start_s for one in ones]), np.array([one.end_s for one in ones])
    other_starts, other_ends = np.array([one.start_s for one in others]), np.array([one.end_s for one in others])
    together = (starts[:, None] < other_ends) & (ends[:, None] > other_starts)
    same_video = of("video_id")
    possible = ~of("identity_id") & (~of("content") | (same_video & ~together))
    if among is not None:
        wanted = np.array([one.video_id in among for one in ones])[:, None]
        possible &= wanted | np.array([one.video_id in among for one in others])
    return possible


def _scored(one: Known, other: Known, words: Mapping[str, FloatArray]) -> Suggestion:
    by_model = one.appearance is not None and other.appearance is not None
    in_colors = one.look is not None and other.look is not None
    looks = float(_looks([one], [other])[0, 0]) if by_model or in_colors else None
    said = None
    if one.entity_id in words and other.entity_id in words:
        cosine = float(words[one.entity_id] @ words[other.entity_id])
        said = float(np.clip((cosine - _LEAST_WORDS) / (1 - _LEAST_WORDS), 0.0, 1.0))
    if looks is None:
        score = _MOST_WITHOUT_LOOKS * (said or 0.0)
    else:
        score = looks if said is None else _LOOKS_COUNT * looks + (1 - _LOOKS_COUNT) * said
    if one.label != other.label:
        score *= _OTHER_LABEL
    first, second = sorted((one, other), key=lambda end: (end.title, end.video_id, end.start_s, end.entity_id))
    return Suggestion(first, second, score, looks, said, by_model)


def _words(store: Store, entity_ids: Sequence[str]) -> dict[str, FloatArray]:
    """The mean direction of a few sentences of each entity."""
    found: dict[str, FloatArray] = {}
    for start in range(0, len(entity_ids), _BLOCK // 10):
        part = list(entity_ids[start : start + _BLOCK // 10])
        for row in store.read("identities/words", entity_ids=part, per_entity=_SENTENCES).rows:
            vectors = np.array(row["embeddings"], dtype=np.float32)
            if vectors.size and (length := float(np.linalg.norm(vectors.mean(axis=0)))) > 0:
                found[str(row["entity_id"])] = vectors.mean(axis=0) / np.float32(length)
    return found


def _known(row: Mapping[str, object], model: str | None) -> Known:
    numbers = cast("dict[str, float]", row)  # columns declared FLOAT
    texts = cast("dict[str, str]", row)  # columns declared STRING
    return Known(
        entity_id=texts["entity_id"],
        identity_id=texts["identity_id"],
        video_id=texts["video_id"],
        title=texts["title"],
        label=texts["label"],
        given_name=texts["given_name"],
        start_s=numbers["start_s"],
        end_s=numbers["end_s"],
        look=_unit(row["look"]),
        appearance=_unit(row["appearance"]) if row["appearance_model"] == model else None,
    )


def _unit(value: object) -> FloatArray | None:
    vector = np.array([] if value is None else value, dtype=np.float32)
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length > 0 else None
