"""Depth over time, from the signed numbers of each keyframe. The formulas are this plugin's own; README.md has them in words."""
from __future__ import annotations

from dataclasses import dataclass
from math import fsum

from .constants import COHERENCE, CONSISTENCY, JUMP, SCENE_COHERENCE, SCENE_DEVIATION, SCENE_LAYERS, STABILITY
from .document import Depth


@dataclass(frozen=True)
class DepthOverTime:
    consistency: float
    """The share of keyframes that show a scene with depth."""
    coherence: float
    """How much the ranges of depth of neighbouring keyframes overlap: the mean of intersection by union."""
    stability: float
    """How little the deviation changes between neighbouring keyframes: the mean of the smaller by the larger."""
    jump: float
    """Metres: the largest change of the mean depth between neighbouring keyframes."""

    @property
    def holds(self) -> bool:
        return self.consistency >= CONSISTENCY and self.coherence >= COHERENCE and self.stability >= STABILITY and self.jump <= JUMP

    def __str__(self) -> str:
        return (f"consistency {self.consistency:.4f} (at least {CONSISTENCY:g}), coherence {self.coherence:.4f} (at least {COHERENCE:g}), "
                f"stability {self.stability:.4f} (at least {STABILITY:g}), largest jump {self.jump:.4f} m (at most {JUMP:g} m)")


def depth_over_time(depth: Depth) -> DepthOverTime:
    """Of at least two keyframes."""
    scenes = sum(
        deviation > SCENE_DEVIATION and layers >= SCENE_LAYERS and coherence > SCENE_COHERENCE
        for deviation, layers, coherence in zip(depth.deviation, depth.layers, depth.edge_coherence))
    pairs = len(depth.mean) - 1
    ranges = list(zip(depth.least, depth.most))
    return DepthOverTime(
        consistency=scenes / len(depth.mean),
        coherence=fsum(map(overlap, ranges, ranges[1:])) / pairs,
        stability=fsum(map(likeness, depth.deviation, depth.deviation[1:])) / pairs,
        jump=max(abs(after - before) for before, after in zip(depth.mean, depth.mean[1:])))


def overlap(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Intersection by union of two ranges, 0 to 1. Two ranges of the same single depth overlap wholly."""
    union = max(one[1], other[1]) - min(one[0], other[0])
    return max(0.0, min(one[1], other[1]) - max(one[0], other[0])) / union if union > 0 else 1.0


def likeness(one: float, other: float) -> float:
    """The smaller of two deviations by the larger. Two of 0 are alike."""
    return min(one, other) / max(one, other) if max(one, other) > 0 else 1.0
