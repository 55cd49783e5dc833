/* Reads changed maps and documents, of which memory and results are checked: mutants COUNT SEED. A sanitizer makes it worth most. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "../src/document.h"
#include "../src/statistics.h"

enum { WIDTH = 24, HEIGHT = 18, PIXELS = WIDTH * HEIGHT, BUFFER = 8192 };

static const char document[] =
    "{\"version\":2,\"media\":[{\"sha256\":\"55c64d0fcd6f9d5f7c828093857e3fdfda68478bb4e9bd24d481ef391c7804e8\"}],"
    "\"signals\":{\"lidar\":{\"score\":0.95}},\"depth\":{\"variance\":1.3218,\"layers\":3,\"edge_coherence\":0.3765e0,\"min\":0.8,"
    "\"max\":4.0,\"is_likely_real_scene\":true,\"algorithm_version\":\"1.0\\u00e9\",\"width\":256,\"height\":192,"
    "\"map_sha256\":\"55c64d0fcd6f9d5f7c828093857e3fdfda68478bb4e9bd24d481ef391c7804e8\"}}";

static uint64_t state;
static unsigned long good_maps, good_documents;

/* xorshift64: the same numbers on each machine. */
static uint32_t chance(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % below;
}

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "mutants: %s\n", what);
    abort();
}

static size_t compress_map(const void *map, size_t size, uint8_t out[BUFFER])
{
    z_stream stream = {0};

    require(deflateInit2(&stream, 1 + (int)chance(9), Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib does not begin");
    stream.next_in = (z_const Bytef *)(uintptr_t)map;
    stream.avail_in = (uInt)size;
    stream.next_out = out;
    stream.avail_out = BUFFER;
    require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib does not end");
    deflateEnd(&stream);
    return stream.total_out;
}

/* Changes, removes, repeats or adds bytes; returns the size. */
static size_t change(uint8_t *bytes, size_t size, size_t capacity)
{
    for (uint32_t left = 1 + chance(4); left > 0 && size > 0; left--) {
        size_t at = chance((uint32_t)size), count = 1 + chance(8);
        switch (chance(5)) {
        case 0: bytes[at] ^= (uint8_t)(1u << chance(8)); break;
        case 1: bytes[at] = (uint8_t)chance(256); break;
        case 2: size = at; break;
        case 3:
            count = count < size - at ? count : size - at;
            memmove(bytes + at, bytes + at + count, size - at - count);
            size -= count;
            break;
        default:
            if (count > size - at || size + count > capacity)
                break;
            memmove(bytes + at + count, bytes + at, size - at);
            size += count;
        }
    }
    return size;
}

/* Memory of exactly this size, so that a sanitizer sees each byte beyond. */
static uint8_t *exactly(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);

    require(copy != NULL, "no memory");
    if (size > 0)
        memcpy(copy, bytes, size);
    return copy;
}

static void check_numbers(const struct map *map)
{
    struct statistics s;
    struct judgement judgement;

    statistics_of(map, &s);
    judgement = judgement_of(&s, chance(2) == 1);
    require(s.valid <= map->width * map->height && s.layers <= LAYER_BINS, "a count is too large");
    require((s.layers > 0) == (s.valid > 0), "layers and valid pixels differ");
    require(isfinite(s.deviation) && isfinite(s.quadrant_deviation) && s.deviation >= 0 && s.deviation <= 20, "a deviation is wrong");
    require(s.coherence >= 0 && s.coherence <= 1 && s.median_share >= 0 && s.median_share <= 1, "a share is wrong");
    require(s.valid == 0 || (s.min >= 0.1 && s.min <= s.median && s.median <= s.max && s.max <= 20), "the median is out of range");
    require(s.valid == 0 || (s.mean >= s.min - 1e-9 && s.mean <= s.max + 1e-9), "the mean is out of range");
    require(!judgement.is_likely_real_scene || !judgement.is_screen_like, "a screen is a scene");
}

static void read_map(const uint8_t *bytes, size_t size, uint32_t width, uint32_t height)
{
    uint8_t *gzip = exactly(bytes, size);
    void *memory = malloc(map_capacity(width, height));
    struct map map;
    size_t count;
    enum map_error error;

    require(memory != NULL, "no memory");
    error = map_inflate(assay_bytes(gzip, size), width, height, memory, &count, &map);
    require(error >= MAP_GOOD && error <= MAP_OUT_OF_MEMORY && count <= map_capacity(width, height), "the result is none");
    require(error != MAP_GOOD || count + 1 == map_capacity(width, height), "a map has another size");
    if (error == MAP_GOOD) {
        check_numbers(&map);
        good_maps++;
    }
    free(memory);
    free(gzip);
}

static void try_map(void)
{
    uint8_t floats[PIXELS * 4 + 64], gzip[BUFFER];
    size_t size;

    for (size_t i = 0; i < PIXELS; i++) {
        float value = (float)(1 + i % 5) * 0.7f;
        memcpy(floats + 4 * i, &value, sizeof value);
    }
    /* Half of them are whole members with floats of any bits, the others broken ones. */
    for (uint32_t i = chance(40); i > 0; i--)
        floats[chance(PIXELS * 4)] = (uint8_t)chance(256);
    size = compress_map(floats, PIXELS * 4, gzip);
    if (chance(2) == 1)
        size = change(gzip, size, sizeof gzip);
    read_map(gzip, size, chance(16) > 0 ? WIDTH : WIDTH + chance(3), HEIGHT);
}

static void try_document(void)
{
    uint8_t bytes[2 * sizeof document], *copy;
    char problem[PROBLEM_SIZE] = "";
    struct document read;
    size_t size = sizeof document - 1;

    memcpy(bytes, document, size);
    size = change(bytes, size, sizeof bytes);
    copy = exactly(bytes, size);
    if (document_read(assay_bytes(copy, size), &read, problem)) {
        require(read.width > 0 && read.height > 0 && isfinite(read.variance.value) && isfinite(read.max.value), "a number is wrong");
        good_documents++;
    } else {
        require(problem[0] != '\0' && strlen(problem) < PROBLEM_SIZE, "no problem is told");
    }
    free(copy);
}

int main(int count, char **arguments)
{
    unsigned long left = count == 3 ? strtoul(arguments[1], NULL, 10) : 0, all = 2 * left;

    state = count == 3 ? strtoull(arguments[2], NULL, 10) * 2 + 1 : 1;
    for (; left > 0; left--) {
        try_map();
        try_document();
    }
    require(all > 0, "usage: mutants COUNT SEED");
    require(good_maps > 0 && good_maps < all / 2 && good_documents > 0 && good_documents < all / 2, "all changes have the same result");
    printf("scene-depth: %lu mutants read: %lu maps and %lu documents were good\n", all, good_maps, good_documents);
    return 0;
}
