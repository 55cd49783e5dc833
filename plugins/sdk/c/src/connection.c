#include "connection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* One frame of the largest size, and space beside it for many small ones. Pages that are not touched take no memory. */
enum { CAPACITY = FRAME_PREFIX + FRAME_LIMIT + 256 * 1024, UNSENT_US = 1000 };

int64_t monotonic_us(void)
{
    struct timespec now = {0, 0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

bool connection_open(struct connection *connection, int descriptor)
{
    memset(connection, 0, sizeof *connection);
    connection->descriptor = descriptor;
    connection->in.block = malloc(CAPACITY);
    connection->out.block = malloc(CAPACITY);
    return connection->in.block && connection->out.block;
}

void connection_close(struct connection *connection)
{
    free(connection->in.block);
    free(connection->out.block);
    connection->in.block = connection->out.block = NULL;
}

static enum taken fail(struct connection *connection, const char *what)
{
    if (connection->fault[0] == '\0')
        snprintf(connection->fault, sizeof connection->fault, "%s", what);
    return TAKEN_FAULT;
}

static enum taken fail_with_error(struct connection *connection, const char *what)
{
    char sentence[160];

    snprintf(sentence, sizeof sentence, "%s: %s", what, strerror(errno));
    return fail(connection, sentence);
}

/* Moves what is left to the front, if the rest of a frame would not fit behind it. */
static void compact(struct buffer *buffer)
{
    if (buffer->start == buffer->end) {
        buffer->start = buffer->end = 0;
    } else if (CAPACITY - buffer->start < FRAME_PREFIX + FRAME_LIMIT) {
        memmove(buffer->block, buffer->block + buffer->start, buffer->end - buffer->start);
        buffer->end -= buffer->start;
        buffer->start = 0;
    }
}

static enum taken read_more(struct connection *connection)
{
    struct buffer *in = &connection->in;
    ssize_t count;

    if (!connection_flush(connection))
        return TAKEN_FAULT;
    compact(in);
    do
        count = read(connection->descriptor, in->block + in->end, CAPACITY - in->end);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return fail_with_error(connection, "reading from the daemon failed");
    if (count == 0)
        return in->start == in->end ? TAKEN_END : fail(connection, "the connection ended within a frame");
    in->end += (size_t)count;
    connection->read_at_us = monotonic_us();
    return TAKEN_FRAME;
}

static size_t length_at(const uint8_t *prefix)
{
    return (size_t)prefix[0] << 24 | (size_t)prefix[1] << 16 | (size_t)prefix[2] << 8 | prefix[3];
}

/* Whether a whole frame is there. A wrong length is judged as soon as its four bytes are. */
static enum taken have_frame(struct connection *connection, bool *whole, struct assay_bytes *bytes)
{
    struct buffer *in = &connection->in;
    size_t length;

    *whole = false;
    if (in->end - in->start < FRAME_PREFIX)
        return TAKEN_FRAME;
    length = length_at(in->block + in->start);
    if (length == 0)
        return fail(connection, "the daemon sent a frame of length 0");
    if (length > FRAME_LIMIT)
        return fail(connection, "the daemon sent a frame above the limit of 1 MiB");
    if (in->end - in->start - FRAME_PREFIX < length)
        return TAKEN_FRAME;
    *whole = true;
    *bytes = assay_bytes(in->block + in->start + FRAME_PREFIX, length);
    in->start += FRAME_PREFIX + length;
    return TAKEN_FRAME;
}

enum taken connection_take(struct connection *connection, struct assay_bytes *bytes)
{
    enum taken taken;
    bool whole;

    for (;;) {
        if (connection->fault[0] != '\0')
            return TAKEN_FAULT;
        taken = have_frame(connection, &whole, bytes);
        if (taken != TAKEN_FRAME || whole)
            return taken;
        taken = read_more(connection);
        if (taken != TAKEN_FRAME)
            return taken;
    }
}

void connection_forget(struct assay_bytes bytes)
{
    assay_wipe((void *)(uintptr_t)bytes.data, bytes.size);
}

uint8_t *connection_reserve(struct connection *connection, size_t size)
{
    struct buffer *out = &connection->out;

    if (CAPACITY - out->end < size && !connection_flush(connection))
        return NULL;
    if (connection->fault[0] != '\0' || CAPACITY - out->end < size)
        return NULL;
    return out->block + out->end;
}

void connection_commit(struct connection *connection, const uint8_t *end)
{
    if (connection->out.start == connection->out.end)
        connection->unsent_at_us = monotonic_us();
    connection->out.end = (size_t)(end - connection->out.block);
}

bool connection_flush(struct connection *connection)
{
    struct buffer *out = &connection->out;

    while (out->start < out->end && connection->fault[0] == '\0') {
        ssize_t count = write(connection->descriptor, out->block + out->start, out->end - out->start);
        if (count >= 0)
            out->start += (size_t)count;
        else if (errno != EINTR)
            fail_with_error(connection, "writing to the daemon failed");
    }
    /* It may have held a secret. */
    assay_wipe(out->block, out->end);
    out->start = out->end = 0;
    return connection->fault[0] == '\0';
}

void connection_flush_old(struct connection *connection)
{
    if (connection->out.end > connection->out.start && monotonic_us() - connection->unsent_at_us >= UNSENT_US)
        connection_flush(connection);
}
