/* The memory of one call: a fixed block that is handed out from front to back, and taken back at once. It refuses instead of
 * growing. */
#ifndef ASSAY_ARENA_H
#define ASSAY_ARENA_H

#include <assay/bytes.h>
#include <protobuf-c/protobuf-c.h>

struct arena {
    uint8_t *block;
    size_t capacity, used;
    bool exhausted;                 /* something was refused since arena_reset */
    ProtobufCAllocator allocator;   /* hands out of this arena */
};

bool arena_open(struct arena *arena, size_t capacity);
void arena_close(struct arena *arena);

/* Memory for any type, all zero; NULL if there is no more. */
void *arena_allocate(struct arena *arena, size_t size);

/* A copy of the bytes; empty if there is no more. */
struct assay_bytes arena_copy(struct arena *arena, struct assay_bytes bytes);

/* Takes everything back, and overwrites it: it held evidence and keys. */
void arena_reset(struct arena *arena);

#endif
