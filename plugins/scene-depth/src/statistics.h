/* The numbers of a depth map, and what they are judged by. docs/reference/scene-depth.md has each definition and its source. */
#ifndef SCENE_DEPTH_STATISTICS_H
#define SCENE_DEPTH_STATISTICS_H

#include <stdbool.h>

#include "map.h"

#define ALGORITHM_VERSION "1"

/* Lengths are in metres. */
#define DEPTH_LEAST 0.1          /* of a valid pixel */
#define DEPTH_MOST 20.0
#define DEVIATION_ABOVE 0.5
#define COHERENCE_ABOVE 0.3
#define COHERENCE_ABOVE_STRICT 0.7
#define EDGE_ABOVE 0.1           /* half of the difference of a pixel's neighbours */
#define EDGE_FACTOR 30.0
#define SCREEN_RANGE_BELOW 0.15
#define SCREEN_SHARE_ABOVE 0.85
#define SCREEN_NEAR_MEDIAN 0.05
#define SCREEN_MEAN_LEAST 0.2
#define SCREEN_MEAN_MOST 1.5
#define QUADRANTS_ALIKE 0.1

enum {
    LAYERS_LEAST = 3,
    LAYER_BINS = 50,
    LAYER_PERCENT = 5 /* a peak is higher than this part of the highest */
};

/* All zero if there is no valid pixel. */
struct statistics {
    uint32_t valid; /* pixels from DEPTH_LEAST to DEPTH_MOST; only these count below */
    double min, max, mean, median;
    double median_share; /* of the valid pixels, those within SCREEN_NEAR_MEDIAN of the median, 0 to 1 */
    double deviation;    /* the standard deviation */
    uint32_t layers;
    double coherence;          /* 0 to 1 */
    double quadrant_deviation; /* the standard deviation of the quadrants' means */
};

void statistics_of(const struct map *map, struct statistics *statistics);

struct judgement {
    bool deviates, is_layered, has_edges;
    bool is_flat;    /* the range is below SCREEN_RANGE_BELOW */
    bool is_uniform; /* the share near the median is above SCREEN_SHARE_ABOVE */
    bool is_near;    /* the mean is where screens are held */
    bool is_screen_like;
    bool is_likely_real_scene;
};

struct judgement judgement_of(const struct statistics *statistics, bool strict);

#endif
