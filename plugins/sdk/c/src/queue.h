/* Calls that arrived while a handler waited for the host, first in, first out. */
#ifndef ASSAY_QUEUE_H
#define ASSAY_QUEUE_H

#include <assay/bytes.h>

enum {
    QUEUE_CALLS = 256,              /* the limit of framed RPC for calls in flight */
    QUEUE_BYTES = 64 * 1024 * 1024  /* 64 frames, the default concurrency, of the largest size */
};

struct queued {
    struct queued *next;
    uint64_t call_id;
    int64_t arrived_at_us;
    size_t size;
    uint8_t frame[]; /* without its length */
};

struct queue {
    struct queued *first, *last;
    size_t count, bytes;
};

/* False: the queue is full. */
bool queue_add(struct queue *queue, uint64_t call_id, struct assay_bytes frame, int64_t arrived_at_us);
bool queue_contains(const struct queue *queue, uint64_t call_id);
/* The first, which the caller frees by queue_free; NULL if there is none. */
struct queued *queue_take(struct queue *queue);
void queue_free(struct queued *queued);
void queue_close(struct queue *queue);

#endif
