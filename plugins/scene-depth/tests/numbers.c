/* Prints the numbers of maps, for comparisons with other implementations. Standard input has maps one after the other: width, height and
 * size as 32-bit little endian, then the gzip. Each has one line: the error's number, or 0, and the numbers with 17 digits. */
#include <stdio.h>
#include <stdlib.h>

#include "../src/statistics.h"

static bool read_word(uint32_t *word)
{
    uint8_t bytes[4];

    if (fread(bytes, 1, sizeof bytes, stdin) != sizeof bytes)
        return false;
    *word = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    return true;
}

static void print(const struct map *map)
{
    struct statistics s;
    struct judgement ordinary, strict;

    statistics_of(map, &s);
    ordinary = judgement_of(&s, false);
    strict = judgement_of(&s, true);
    printf("0 %u %.17g %.17g %.17g %.17g %.17g %.17g %u %.17g %.17g %d %d %d\n", s.valid, s.min, s.max, s.mean, s.median,
        s.median_share, s.deviation, s.layers, s.coherence, s.quadrant_deviation, ordinary.is_screen_like,
        ordinary.is_likely_real_scene, strict.is_likely_real_scene);
}

int main(void)
{
    static uint8_t gzip[MAP_SIZE_MOST];
    uint32_t width, height, size;

    while (read_word(&width) && read_word(&height) && read_word(&size)) {
        struct map map;
        enum map_error error;
        void *memory;
        size_t count;

        if (width < 3 || height < 3 || width > MAP_WIDTH + MAP_TOLERANCE || height > MAP_HEIGHT + MAP_TOLERANCE || size > sizeof gzip
            || fread(gzip, 1, size, stdin) != size || !(memory = malloc(map_capacity(width, height)))) {
            fprintf(stderr, "numbers: standard input is not a list of maps\n");
            return 1;
        }
        error = map_inflate(assay_bytes(gzip, size), width, height, memory, &count, &map);
        if (error == MAP_GOOD)
            print(&map);
        else
            printf("%d\n", (int)error);
        free(memory);
    }
    return 0;
}
