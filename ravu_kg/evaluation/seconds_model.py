"""The model of :mod:`ravu_kg.reasoning.grounding.likelihood` in torch, so that its weights can be fitted.

Imports torch; only :mod:`ravu_kg.evaluation.fit_seconds` imports this, when it fits.
"""

# Parts of torch have types with holes.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor
from torch.nn import Parameter

from ravu_kg.reasoning.grounding.likelihood import FLOOR, REACH_S, SignalWeights, Weights, Window
from ravu_kg.reasoning.grounding.sought import Part
from ravu_kg.reasoning.plan import Direction

if TYPE_CHECKING:  # run as a program, that module has another name
    from ravu_kg.evaluation.fit_seconds import Sample

_PARTS: tuple[Part | None, ...] = (None, "beginning", "middle", "end")
_DIRECTIONS: tuple[Direction, ...] = ("after", "before", "around")
_PLAIN_SIGNALS = SignalWeights(main=1.0, whole=1.0, words=0.0, entities=0.0)
PLAIN = Weights(
    alone=_PLAIN_SIGNALS,
    beside=_PLAIN_SIGNALS,
    anchor=SignalWeights(main=1.0, whole=0.0, words=0.0, entities=0.0),
    anchor_prior=0.5,
    priors=dict.fromkeys(_PARTS, (0.0,) * 6),
    windows={
        "after": Window(start_s=0.0, edge_s=1.0, fade_s=5.0, weight=1.0),
        "before": Window(start_s=0.0, edge_s=1.0, fade_s=5.0, weight=1.0),
        "around": Window(start_s=0.0, edge_s=0.0, fade_s=5.0, weight=1.0),
    },
)
"""Where fitting begins: nothing of it was learnt from any video."""
_UNITS = (8.0, 8.0, 1.0, 1.0)
"""Cosines of one video lie so much nearer together than the other signals; their weights may be larger."""
# Penalties are set by hand, and matter little: half or twice as large, the cross-checked IoP differs by 0.001 at most.
_SIGNALS_PENALTY = 5e-3
_PRIOR_PENALTY = 2e-4
_WINDOW_PENALTY = 2e-4
"""For how far a window is from the plain one: what no question tells of stays there."""
_STEEPNESS_PENALTY = 2e-3
"""For how much the prior changes from one fifth of the video to the next."""
_STEPS = 100


def fit(samples: Sequence[Sample]) -> Weights:
    """The weights that make the seconds in which the answers are seen likeliest. Nothing of it is drawn by chance.

    Args:
        samples: questions whose answers are seen somewhere.
    """
    model, batch = SecondsModel(PLAIN), Batch(samples)
    search = torch.optim.LBFGS(
        model.parameters(), max_iter=_STEPS, tolerance_change=1e-7, line_search_fn="strong_wolfe"
    )

    def loss() -> Tensor:
        search.zero_grad()
        found = -(batch.shown * model(batch)).sum(1).mean() + model.penalty()
        found.backward()
        return found

    search.step(loss)  # pyright: ignore[reportArgumentType]: torch says it has to be a float; a tensor is what it takes
    return model.weights()


class Batch:
    """The samples as tensors, filled up to the frames of the longest video."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        count, longest = len(samples), max(len(one.shown) for one in samples)
        self.inside = torch.zeros(count, longest, dtype=torch.bool)
        """(q, n)"""
        self.main = torch.zeros(count, 4, longest, dtype=torch.float64)
        self.anchor = torch.zeros(count, 3, longest, dtype=torch.float64)
        self.places = torch.zeros(count, len(samples[0].places), longest, dtype=torch.float64)
        self.shown = torch.zeros(count, longest, dtype=torch.float64)
        """(q, n): the sum for each question is 1."""
        self.part = torch.tensor([_PARTS.index(one.sought.part) for one in samples])
        self.beside = torch.tensor([one.anchor is not None for one in samples])
        alike: defaultdict[tuple[Direction, float, float], list[int]] = defaultdict(list)
        for row, one in enumerate(samples):
            frames = len(one.shown)
            self.inside[row, :frames] = True
            self.main[row, :, :frames] = torch.from_numpy(one.main)
            self.places[row, :, :frames] = torch.from_numpy(one.places)
            self.shown[row, :frames] = torch.from_numpy(one.shown / max(one.shown.sum(), 1e-9))
            if one.anchor is not None and one.sought.direction is not None:
                self.anchor[row, :, :frames] = torch.from_numpy(one.anchor)
                alike[one.sought.direction, one.sought.gap_s, one.seconds.interval_s].append(row)
        order = torch.arange(longest, dtype=torch.float64)
        apart = order[:, None] - order[None, :]
        self.offsets: list[tuple[Direction, Tensor, Tensor]] = [
            (direction, torch.tensor(rows), (-apart if direction == "before" else apart) * interval_s - gap_s)
            for (direction, gap_s, interval_s), rows in alike.items()
        ]
        """Questions that look to the same side of a moment, and how far each frame (n, .) lies from each (., n)."""


class SecondsModel(torch.nn.Module):
    """``likelihood()`` with weights that can be fitted."""

    def __init__(self, start: Weights) -> None:
        super().__init__()
        windows = [start.windows[one] for one in _DIRECTIONS]
        self._units = torch.tensor(_UNITS, dtype=torch.float64)
        self._alone = _parameter(astuple(start.alone), self._units)
        self._beside = _parameter(astuple(start.beside), self._units)
        self._anchor = _parameter((start.anchor.main, start.anchor.words, start.anchor.entities), self._units[1:])
        self._anchor_prior = _parameter(start.anchor_prior)
        self._priors = _parameter([start.priors[one] for one in _PARTS])
        self._starts_s = _parameter([one.start_s for one in windows])
        self._edges = _parameter([math.log(start.windows[one].edge_s) for one in _DIRECTIONS if one != "around"])
        self._fades = _parameter([math.log(one.fade_s) for one in windows])
        self._weights = _parameter([one.weight for one in windows])
        self._first = self._windows().detach()

    def forward(self, batch: Batch) -> Tensor:
        """(q, n): the logarithm of how likely each frame is."""
        weights = torch.where(batch.beside[:, None], self._beside, self._alone) * self._units
        prior = torch.einsum("qk,qkn->qn", self._priors[batch.part], batch.places)
        logits = torch.einsum("qf,qfn->qn", weights, batch.main) + prior
        moment = torch.einsum("f,qfn->qn", self._anchor * self._units[1:], batch.anchor) + self._anchor_prior * prior
        at = torch.softmax(moment.masked_fill(~batch.inside, -torch.inf), dim=1)
        for direction, rows, offsets_s in batch.offsets:
            near = torch.exp(self._log_window(offsets_s, direction))
            total = torch.exp(self._log_window(torch.arange(-REACH_S, REACH_S + 1.0), direction)).sum()
            window = torch.log(at[rows] @ near.T / total + FLOOR)
            logits = logits.index_add(0, rows, self._weights[_DIRECTIONS.index(direction)] * window)
        return torch.log_softmax(logits.masked_fill(~batch.inside, -_FAR), dim=1)

    def penalty(self) -> Tensor:
        """Grows with the weights, as the priors become steep, and as the windows change."""
        weights = torch.cat([self._alone, self._beside, self._anchor])
        steps = self._priors.diff(dim=1)
        return (
            _SIGNALS_PENALTY * weights.square().sum()
            + _PRIOR_PENALTY * self._priors.square().sum()
            + _STEEPNESS_PENALTY * steps.square().sum()
            + _WINDOW_PENALTY * (self._windows() - self._first).square().sum()
        )

    def weights(self) -> Weights:
        """As the product takes them."""
        main, words, entities = _numbers(self._anchor * self._units[1:])
        starts_s, weights = _numbers(self._starts_s), _numbers(self._weights)
        edges_s, fades_s = [*_numbers(self._edges.exp()), 0.0], _numbers(self._fades.exp())
        return Weights(
            alone=SignalWeights(*_numbers(self._alone * self._units)),
            beside=SignalWeights(*_numbers(self._beside * self._units)),
            anchor=SignalWeights(main, 0.0, words, entities),
            anchor_prior=float(self._anchor_prior.detach()),
            priors={part: tuple(_numbers(one)) for part, one in zip(_PARTS, self._priors, strict=True)},
            windows={
                direction: Window(*numbers)
                for direction, *numbers in zip(_DIRECTIONS, starts_s, edges_s, fades_s, weights, strict=True)
            },
        )

    def _windows(self) -> Tensor:
        return torch.cat([self._starts_s, self._edges, self._fades, self._weights])

    def _log_window(self, offsets_s: Tensor, direction: Direction) -> Tensor:
        at = _DIRECTIONS.index(direction)
        past_s, fade_s = offsets_s - self._starts_s[at], self._fades[at].exp()
        if direction == "around":
            found = -past_s.abs() / fade_s
        else:
            found = torch.nn.functional.logsigmoid(past_s / self._edges[at].exp()) - offsets_s.clamp(min=0) / fade_s
        return found.masked_fill(offsets_s.abs() > REACH_S, -_FAR)


_FAR = 1e9


def _parameter(values: Sequence[float] | Sequence[Sequence[float]] | float, units: Tensor | None = None) -> Parameter:
    found = torch.tensor(values, dtype=torch.float64)
    return Parameter(found if units is None else found / units)


def _numbers(values: Tensor) -> list[float]:
    return cast("list[float]", values.tolist())  # of a vector
