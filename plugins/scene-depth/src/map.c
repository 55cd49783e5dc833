#include "map.h"

#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16 /* the largest window, and gzip only */ };

static enum map_error inflate_all(z_stream *stream, size_t wanted)
{
    int status = inflate(stream, Z_FINISH);

    if (stream->total_out > wanted)
        return MAP_TOO_LONG;
    switch (status) {
    case Z_STREAM_END:
        if (stream->avail_in > 0)
            return MAP_FOLLOWED;
        return stream->total_out == wanted ? MAP_GOOD : MAP_TOO_SHORT;
    case Z_MEM_ERROR: return MAP_OUT_OF_MEMORY;
    /* A byte of space is left, so that the input is used up. */
    case Z_BUF_ERROR:
    case Z_OK: return MAP_CUT;
    default: return MAP_NOT_GZIP;
    }
}

static float float_of(const uint8_t bytes[4])
{
    uint32_t bits = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

enum map_error map_inflate(struct assay_bytes gzip, uint32_t width, uint32_t height, void *memory, size_t *size, struct map *map)
{
    size_t count = (size_t)width * height, wanted = count * sizeof(float);
    z_stream stream = {0};
    uint8_t *bytes = memory;
    float *values = memory;
    enum map_error error;

    *size = 0;
    if (gzip.size > MAP_SIZE_MOST)
        return MAP_TOO_LONG;
    if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK)
        return MAP_OUT_OF_MEMORY;
    /* zlib reads and does not write there. */
    stream.next_in = (z_const Bytef *)(uintptr_t)gzip.data;
    stream.avail_in = (uInt)gzip.size;
    stream.next_out = bytes;
    stream.avail_out = (uInt)(wanted + 1);
    error = inflate_all(&stream, wanted);
    *size = stream.total_out;
    inflateEnd(&stream);
    if (error != MAP_GOOD)
        return error;
    for (size_t i = 0; i < count; i++) {
        float value = float_of(bytes + i * sizeof value);
        memcpy(&values[i], &value, sizeof value);
    }
    *map = (struct map){width, height, values};
    return MAP_GOOD;
}
