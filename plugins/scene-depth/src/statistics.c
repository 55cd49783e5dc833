#include "statistics.h"

#include <math.h>

static bool is_valid(float value)
{
    /* False for NaN. */
    return value >= DEPTH_LEAST && value <= DEPTH_MOST;
}

/* MARK: Median */

enum { KEY_BITS = 13, KEY_BUCKETS = 1 << KEY_BITS };

/* Valid values are positive, so that their bits are in the order of their values; from the least on they fit into 2 * KEY_BITS bits. */
static uint32_t key_of(float value)
{
    static const float least = 0.1f;
    uint32_t bits, base;

    memcpy(&bits, &value, sizeof bits);
    memcpy(&base, &least, sizeof base);
    return bits - base;
}

static float value_of(uint32_t key)
{
    static const float least = 0.1f;
    uint32_t bits;
    float value;

    memcpy(&bits, &least, sizeof bits);
    bits += key;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The bucket with the value of `rank` from 0 on; `rank` becomes the one within the bucket. */
static uint32_t bucket_of(const uint32_t counts[KEY_BUCKETS], uint32_t *rank)
{
    uint32_t bucket = 0;

    while (bucket < KEY_BUCKETS - 1 && *rank >= counts[bucket])
        *rank -= counts[bucket++];
    return bucket;
}

/* The valid value of a rank, by counting: the time does not depend on the values. */
static double ranked(const struct map *map, uint32_t rank)
{
    uint32_t counts[KEY_BUCKETS] = {0};
    size_t pixels = (size_t)map->width * map->height;
    uint32_t high;

    for (size_t i = 0; i < pixels; i++)
        if (is_valid(map->values[i]))
            counts[key_of(map->values[i]) >> KEY_BITS]++;
    high = bucket_of(counts, &rank);
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < pixels; i++)
        if (is_valid(map->values[i]) && key_of(map->values[i]) >> KEY_BITS == high)
            counts[key_of(map->values[i]) & (KEY_BUCKETS - 1)]++;
    return value_of(high << KEY_BITS | bucket_of(counts, &rank));
}

static double median_of(const struct map *map, uint32_t valid)
{
    double upper = ranked(map, valid / 2);

    return valid % 2 == 1 ? upper : (ranked(map, valid / 2 - 1) + upper) / 2;
}

/* MARK: Range, mean and deviation */

static void measure_range(const struct map *map, struct statistics *statistics)
{
    size_t pixels = (size_t)map->width * map->height;
    double sum = 0;

    for (size_t i = 0; i < pixels; i++) {
        double value = map->values[i];
        if (!is_valid(map->values[i]))
            continue;
        if (statistics->valid == 0 || value < statistics->min)
            statistics->min = value;
        if (statistics->valid == 0 || value > statistics->max)
            statistics->max = value;
        sum += value;
        statistics->valid++;
    }
    if (statistics->valid > 0)
        statistics->mean = sum / statistics->valid;
}

static void measure_spread(const struct map *map, struct statistics *statistics)
{
    size_t pixels = (size_t)map->width * map->height;
    uint32_t near = 0;
    double sum = 0;

    statistics->median = median_of(map, statistics->valid);
    for (size_t i = 0; i < pixels; i++) {
        double from_mean = map->values[i] - statistics->mean;
        if (!is_valid(map->values[i]))
            continue;
        sum += from_mean * from_mean;
        near += fabs(map->values[i] - statistics->median) <= SCREEN_NEAR_MEDIAN;
    }
    statistics->deviation = sqrt(sum / statistics->valid);
    statistics->median_share = (double)near / statistics->valid;
}

/* MARK: Layers */

static void fill_histogram(const struct map *map, const struct statistics *statistics, uint32_t bins[LAYER_BINS])
{
    size_t pixels = (size_t)map->width * map->height;
    double range = statistics->max - statistics->min;

    memset(bins, 0, LAYER_BINS * sizeof *bins);
    for (size_t i = 0; i < pixels; i++) {
        int bin = 0;
        if (!is_valid(map->values[i]))
            continue;
        if (range > 0)
            bin = (int)((map->values[i] - statistics->min) / range * (int)LAYER_BINS);
        bins[bin < LAYER_BINS ? bin : LAYER_BINS - 1]++;
    }
}

/* Peaks of the 3-point mean, as its triple, so that all is in whole numbers. Beyond either end there is nothing: an end can be a peak. */
static uint32_t count_peaks(const uint32_t bins[LAYER_BINS])
{
    uint32_t sums[LAYER_BINS], highest = 0, peaks = 0;

    for (size_t i = 0; i < LAYER_BINS; i++) {
        sums[i] = (i > 0 ? bins[i - 1] : 0) + bins[i] + (i + 1 < LAYER_BINS ? bins[i + 1] : 0);
        highest = sums[i] > highest ? sums[i] : highest;
    }
    for (size_t i = 0, end; i < LAYER_BINS; i = end) {
        bool rises = i == 0 || sums[i - 1] < sums[i];
        /* A plateau counts once. */
        for (end = i + 1; end < LAYER_BINS && sums[end] == sums[i];)
            end++;
        if (rises && (end == LAYER_BINS || sums[end] < sums[i]) && sums[i] * 100 > highest * LAYER_PERCENT)
            peaks++;
    }
    return peaks;
}

/* MARK: Edges */

/* Half of the difference of two neighbours; 0 if one of them is not valid, so that holes are no edges. */
static double slope(float before, float after)
{
    return is_valid(before) && is_valid(after) ? ((double)after - before) / 2 : 0;
}

static double coherence_of(const struct map *map)
{
    uint32_t edges = 0, inner = (map->width - 2) * (map->height - 2);

    for (uint32_t y = 1; y + 1 < map->height; y++) {
        const float *row = map->values + (size_t)y * map->width, *above = row - map->width, *below = row + map->width;
        for (uint32_t x = 1; x + 1 < map->width; x++) {
            double across = slope(row[x - 1], row[x + 1]), down = slope(above[x], below[x]);
            edges += sqrt(across * across + down * down) > EDGE_ABOVE;
        }
    }
    return 1 - exp(-EDGE_FACTOR * edges / inner);
}

/* MARK: Quadrants */

/* Of the quadrants that have a valid pixel. */
static double quadrant_deviation_of(const struct map *map)
{
    double sums[4] = {0}, means[4], mean = 0, sum = 0;
    uint32_t counts[4] = {0}, quadrants = 0;

    for (uint32_t y = 0; y < map->height; y++)
        for (uint32_t x = 0; x < map->width; x++) {
            float value = map->values[(size_t)y * map->width + x];
            unsigned quadrant = (y >= map->height / 2 ? 2u : 0) + (x >= map->width / 2 ? 1u : 0);
            if (!is_valid(value))
                continue;
            sums[quadrant] += value;
            counts[quadrant]++;
        }
    for (size_t i = 0; i < 4; i++)
        if (counts[i] > 0)
            means[quadrants++] = sums[i] / counts[i];
    for (size_t i = 0; i < quadrants; i++)
        mean += means[i] / quadrants;
    for (size_t i = 0; i < quadrants; i++)
        sum += (means[i] - mean) * (means[i] - mean);
    return sqrt(sum / quadrants);
}

void statistics_of(const struct map *map, struct statistics *statistics)
{
    uint32_t bins[LAYER_BINS];

    memset(statistics, 0, sizeof *statistics);
    measure_range(map, statistics);
    if (statistics->valid == 0)
        return;
    measure_spread(map, statistics);
    fill_histogram(map, statistics, bins);
    statistics->layers = count_peaks(bins);
    statistics->coherence = coherence_of(map);
    statistics->quadrant_deviation = quadrant_deviation_of(map);
}

struct judgement judgement_of(const struct statistics *statistics, bool strict)
{
    struct judgement judgement = {
        .deviates = statistics->deviation > DEVIATION_ABOVE,
        .is_layered = statistics->layers >= LAYERS_LEAST,
        .has_edges = statistics->coherence > (strict ? COHERENCE_ABOVE_STRICT : COHERENCE_ABOVE),
        .is_flat = statistics->max - statistics->min < SCREEN_RANGE_BELOW,
        .is_uniform = statistics->median_share > SCREEN_SHARE_ABOVE,
        .is_near = statistics->mean >= SCREEN_MEAN_LEAST && statistics->mean <= SCREEN_MEAN_MOST,
    };

    judgement.is_screen_like = statistics->valid > 0 && (judgement.is_flat || judgement.is_uniform) && judgement.is_near;
    judgement.is_likely_real_scene = judgement.deviates && judgement.is_layered && judgement.has_edges && !judgement.is_screen_like;
    return judgement;
}
