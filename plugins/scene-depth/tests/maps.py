"""Makes depth maps, and computes their numbers: the plugin's other half, written from docs/reference/scene-depth.md and not from the C code."""
import array
import gzip
import math
import struct
import sys

WIDTH, HEIGHT = 256, 192
BANDS = (0.8, 2.0, 4.0)


def neighbour(value, step):
    """The 32-bit float that is `step` floats away, for positive ones."""
    return struct.unpack("<f", struct.pack("<I", struct.unpack("<I", struct.pack("<f", value))[0] + step))[0]


def packed(values):
    values = array.array("f", values)
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def zipped(values, level=9):
    return gzip.compress(packed(values), level, mtime=0)


def drawn(pixel, width=WIDTH, height=HEIGHT):
    """A map by a function of x and y."""
    return [pixel(x, y) for y in range(height) for x in range(width)]


def flat(value=0.45):
    return [value] * (WIDTH * HEIGHT)


def bands(width=WIDTH, height=HEIGHT):
    return drawn(lambda x, y: BANDS[(x >= 85) + (x >= 170)], width, height)


def checker(values=BANDS, tile=16):
    return drawn(lambda x, y: values[(x // tile + y // tile) % len(values)])


def ramp():
    return drawn(lambda x, y: 0.4 + 0.1 * x / WIDTH)


def slope():
    """From 1 to 4 m by rows: deep and layered, and without an edge."""
    return drawn(lambda x, y: 1 + 3 * y / HEIGHT)


def with_edges(count):
    """A slope on which exactly so many pixels have an edge: four around each spike, one below a spike in the first row."""
    values = slope()
    places = [(x, y) for y in range(3, HEIGHT - 3, 3) for x in range(3, WIDTH - 3, 3)]
    for x, y in places[:count // 4]:
        values[y * WIDTH + x] += 1
    for x in range(count % 4):
        values[3 * x + 3] += 1
    return values


def numbers(values, width=WIDTH, height=HEIGHT):
    """The numbers by their definitions; None without a valid pixel."""
    values = array.array("f", values).tolist()          # the 32-bit floats that are closest
    is_valid = [0.1 <= value <= 20 for value in values]
    valid = [value for value, holds in zip(values, is_valid) if holds]
    if not valid:
        return None
    ordered, count = sorted(valid), len(valid)
    least, most = ordered[0], ordered[-1]
    mean = sum(valid) / count
    median = ordered[count // 2] if count % 2 else (ordered[count // 2 - 1] + ordered[count // 2]) / 2
    return {
        "valid": count, "min": least, "max": most, "mean": mean, "median": median,
        "share": sum(abs(value - median) <= 0.05 for value in valid) / count,
        "deviation": math.sqrt(sum((value - mean) ** 2 for value in valid) / count), "layers": layers(valid, least, most),
        "coherence": coherence(values, is_valid, width, height), "quadrants": quadrants(values, is_valid, width, height),
    }


def layers(valid, least, most):
    bins = [0] * 50
    for value in valid:
        bins[min(49, int((value - least) / (most - least) * 50)) if most > least else 0] += 1
    sums = [sum(bins[max(0, at - 1):at + 2]) for at in range(50)]
    # Plateaus as one value; nothing is beyond the ends.
    heights = [0] + [value for at, value in enumerate(sums) if at == 0 or value != sums[at - 1]] + [0]
    return sum(before < value > after and value * 100 > max(sums) * 5 for before, value, after in zip(heights, heights[1:], heights[2:]))


def coherence(values, is_valid, width, height):
    edges = 0
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            at, magnitude = y * width + x, 0
            for step in (1, width):
                if is_valid[at - step] and is_valid[at + step]:
                    magnitude += ((values[at + step] - values[at - step]) / 2) ** 2
            edges += math.sqrt(magnitude) > 0.1
    return 1 - math.exp(-30 * edges / ((width - 2) * (height - 2)))


def quadrants(values, is_valid, width, height):
    parts = [[], [], [], []]
    for at, value in enumerate(values):
        if is_valid[at]:
            parts[2 * (at // width >= height // 2) + (at % width >= width // 2)].append(value)
    means = [sum(part) / len(part) for part in parts if part]
    mean = sum(means) / len(means)
    return math.sqrt(sum((value - mean) ** 2 for value in means) / len(means))


def screen_like(found):
    return (found["max"] - found["min"] < 0.15 or found["share"] > 0.85) and 0.2 <= found["mean"] <= 1.5


def likely_real(found, strict=False):
    return found["deviation"] > 0.5 and found["layers"] >= 3 and found["coherence"] > (0.7 if strict else 0.3) and not screen_like(found)
