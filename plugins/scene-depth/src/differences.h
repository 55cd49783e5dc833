/* What the app says of its map, beside what was computed of it. */
#ifndef SCENE_DEPTH_DIFFERENCES_H
#define SCENE_DEPTH_DIFFERENCES_H

#include "document.h"
#include "statistics.h"

/* How far a number of the app may be from the computed one: apps add 32-bit floats in another order, and round. */
#define DIFFERENCE_MOST 0.01

enum {
    DIFFERENCE_SIZE = 80,
    DIFFERENCES_SIZE = 6 * (DIFFERENCE_SIZE + 2)
};

/* Writes a list such as "variance 1.5000 (computed 1.3218), layers 2 (computed 3)"; false if nothing differs. Layers and judgement are
 * compared as they are, the judgement with the one that is not strict. */
bool differences_write(const struct document *document, const struct statistics *statistics, char text[DIFFERENCES_SIZE]);

#endif
