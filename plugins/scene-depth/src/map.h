/* A depth map: gzip (RFC 1952) of 32-bit floats in little endian, row by row from the top, in metres. */
#ifndef SCENE_DEPTH_MAP_H
#define SCENE_DEPTH_MAP_H

#include <assay/bytes.h>

enum {
    MAP_WIDTH = 256, /* in pixels; of a map whose document declares no geometry */
    MAP_HEIGHT = 192,
    MAP_TOLERANCE = 10, /* a declared geometry differs by at most this, on each side */
    MAP_PIXELS_MOST = (MAP_WIDTH + MAP_TOLERANCE) * (MAP_HEIGHT + MAP_TOLERANCE),
    MAP_SIZE_MOST = 256 * 1024 /* of the compressed map, in bytes: no map of MAP_PIXELS_MOST needs as much */
};

struct map {
    uint32_t width, height;
    const float *values; /* width * height of them, none of them trusted: NaN, infinities and negative values are possible */
};

/* Where inflating a map ended. */
enum map_error {
    MAP_GOOD = 0,
    MAP_NOT_GZIP,     /* no gzip header, a wrong checksum, or data that is not deflate's */
    MAP_CUT,          /* the input ends before the member does */
    MAP_TOO_LONG,     /* more comes out than the geometry has; inflating ended there */
    MAP_TOO_SHORT,    /* less comes out */
    MAP_FOLLOWED,     /* bytes, or a second member, follow */
    MAP_OUT_OF_MEMORY /* zlib has none */
};

/* The bytes that map_inflate writes to: one more than the map has, which shows that there are more. */
static inline size_t map_capacity(uint32_t width, uint32_t height)
{
    return (size_t)width * height * sizeof(float) + 1;
}

/* Inflates one member of gzip to width * height floats in the machine's order, within `memory` of map_capacity bytes, which is aligned
 * for floats. `size` is how many bytes came out, at most the capacity. */
enum map_error map_inflate(struct assay_bytes gzip, uint32_t width, uint32_t height, void *memory, size_t *size, struct map *map);

#endif
