#include "queue.h"

#include <stdlib.h>

bool queue_add(struct queue *queue, uint64_t call_id, struct assay_bytes frame, int64_t arrived_at_us)
{
    struct queued *queued;

    if (queue->count == QUEUE_CALLS || frame.size > QUEUE_BYTES - queue->bytes)
        return false;
    queued = malloc(sizeof *queued + frame.size);
    if (!queued)
        return false;
    queued->next = NULL;
    queued->call_id = call_id;
    queued->arrived_at_us = arrived_at_us;
    queued->size = frame.size;
    memcpy(queued->frame, frame.data, frame.size);
    if (queue->last)
        queue->last->next = queued;
    else
        queue->first = queued;
    queue->last = queued;
    queue->count++;
    queue->bytes += frame.size;
    return true;
}

bool queue_contains(const struct queue *queue, uint64_t call_id)
{
    for (const struct queued *queued = queue->first; queued; queued = queued->next)
        if (queued->call_id == call_id)
            return true;
    return false;
}

struct queued *queue_take(struct queue *queue)
{
    struct queued *queued = queue->first;

    if (!queued)
        return NULL;
    queue->first = queued->next;
    if (!queue->first)
        queue->last = NULL;
    queue->count--;
    queue->bytes -= queued->size;
    return queued;
}

void queue_free(struct queued *queued)
{
    if (!queued)
        return;
    assay_wipe(queued->frame, queued->size);
    free(queued);
}

void queue_close(struct queue *queue)
{
    struct queued *queued;

    while ((queued = queue_take(queue)))
        queue_free(queued);
}
