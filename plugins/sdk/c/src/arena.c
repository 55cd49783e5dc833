#include "arena.h"

#include <stdlib.h>

/* Of every type that C has. */
enum { ALIGNMENT = _Alignof(max_align_t) };

static void *reserve(struct arena *arena, size_t size)
{
    size_t start = (arena->used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

    if (start > arena->capacity || size > arena->capacity - start) {
        arena->exhausted = true;
        return NULL;
    }
    arena->used = start + size;
    return arena->block + start;
}

static void *allocate_for_protobuf(void *arena, size_t size)
{
    return reserve(arena, size);
}

static void free_for_protobuf(void *arena, void *memory)
{
    (void)arena;
    (void)memory;
}

bool arena_open(struct arena *arena, size_t capacity)
{
    arena->block = malloc(capacity);
    arena->capacity = capacity;
    arena->used = 0;
    arena->exhausted = false;
    arena->allocator = (ProtobufCAllocator){allocate_for_protobuf, free_for_protobuf, arena};
    return arena->block != NULL;
}

void arena_close(struct arena *arena)
{
    arena_reset(arena);
    free(arena->block);
    arena->block = NULL;
    arena->capacity = 0;
}

void *arena_allocate(struct arena *arena, size_t size)
{
    void *memory = reserve(arena, size);

    if (memory)
        memset(memory, 0, size);
    return memory;
}

struct assay_bytes arena_copy(struct arena *arena, struct assay_bytes bytes)
{
    uint8_t *copy = reserve(arena, bytes.size);

    if (!copy)
        return assay_bytes(NULL, 0);
    if (bytes.size > 0)
        memcpy(copy, bytes.data, bytes.size);
    return assay_bytes(copy, bytes.size);
}

void arena_reset(struct arena *arena)
{
    if (arena->block)
        assay_wipe(arena->block, arena->used);
    arena->used = 0;
    arena->exhausted = false;
}
