"""GPTQ for one matrix: four-bit levels that keep its products with real inputs, in PyTorch.

Columns are rounded one after the other, the ones with the largest inputs first; what rounding one
takes away is made up for in those still to come, as the inputs' second moments say it can be.

Measured on inputs that were not calibrated on, by how much products change (root mean square):
rounding to nearest 7.7 %, this 4.7 %; with scales that ignore the inputs 4.8 %, with the largest
value at seven scales 5.2 %; in groups of 128 5.0 %. Fitting the scales again after rounding gained
nothing.
"""

import torch
from torch import Tensor

BLOCK = 128  # columns whose corrections are applied together: only then is a product large
DAMPING = 0.03  # of the mean of the diagonal; with less, few calibration tokens are learnt by heart
REACHES = torch.linspace(4.5, 9.0, 61)  # a group's largest value lands at so many scales
SMALLEST_SCALE, LARGEST_SCALE = 2.0**-24, 65504.0  # of float16, in which scales are stored


def search_scales(weight: Tensor, power: Tensor, group: int) -> Tensor:
    """Return the scales [out, in/group] of least error, each input weighed by its ``power`` [in].

    They are float32 with values that float16 holds. ``power`` is the mean square of an input.
    """
    grouped, power = weight.unflatten(1, (-1, group)), power.view(-1, group)
    peak = grouped.abs().amax(2)
    best, least = torch.zeros_like(peak), torch.full_like(peak, torch.inf)
    for reach in REACHES.tolist():
        scale = (peak / reach).clamp(SMALLEST_SCALE, LARGEST_SCALE).half().float()
        error = (nearest(grouped, scale[..., None]) * scale[..., None] - grouped).square_()
        error = (error * power).sum(2)
        better = error < least
        least, best = torch.where(better, error, least), torch.where(better, scale, best)
    return best


def nearest(weight: Tensor, scale: Tensor) -> Tensor:
    """Return the nearest whole multiples of the scales, -8 … 7."""
    return (weight / scale).round_().clamp_(-8, 7)


def quantise(weight: Tensor, moments: Tensor, scales: Tensor) -> Tensor:
    """Return levels -8 … 7 [out, in] of ``weight`` for given ``scales`` [out, in/group].

    ``moments`` [in, in] is the mean of x xᵀ over the inputs x.
    """
    order = moments.diagonal().argsort(descending=True)
    rest = weight[:, order].clone()
    wide = scales.repeat_interleave(weight.shape[1] // scales.shape[1], 1)[:, order]
    factor = _inverse_factor(moments[order][:, order])
    levels = torch.empty_like(rest)
    for first in range(0, rest.shape[1], BLOCK):
        block = slice(first, min(first + BLOCK, rest.shape[1]))
        part, lost = rest[:, block], torch.empty_like(rest[:, block])
        near = factor[block, block]
        for i in range(part.shape[1]):
            scale = wide[:, first + i]
            levels[:, first + i] = nearest(part[:, i], scale)
            lost[:, i] = (part[:, i] - levels[:, first + i] * scale) / near[i, i]
            part[:, i:] -= torch.outer(lost[:, i], near[i, i:])
        rest[:, block.stop :] -= lost @ factor[block, block.stop :]
    return levels[:, order.argsort()]


def _inverse_factor(moments: Tensor) -> Tensor:
    """Return the upper Cholesky factor of the inverse of the damped moments."""
    damped = moments.double()
    damped.diagonal().add_(DAMPING * damped.diagonal().mean() + 1e-12)
    inverse = torch.cholesky_inverse(torch.linalg.cholesky(damped))
    return torch.linalg.cholesky(inverse, upper=True).float()


def output_error(weight: Tensor, rounded: Tensor, moments: Tensor) -> float:
    """Return the mean square by which products change, relative to the products."""
    change = rounded - weight
    lost = ((change @ moments) * change).sum()
    return float(lost / ((weight @ moments) * weight).sum())
