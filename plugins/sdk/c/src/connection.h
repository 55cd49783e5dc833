/* Frames over the inherited socket: many of them in one read, and in one write. */
#ifndef ASSAY_CONNECTION_H
#define ASSAY_CONNECTION_H

#include "frame.h"

struct buffer {
    uint8_t *block;
    size_t start, end; /* what is in use */
};

struct connection {
    int descriptor;
    struct buffer in, out;
    int64_t read_at_us;   /* when the last bytes came */
    int64_t unsent_at_us; /* when the oldest byte of `out` was put there */
    char fault[160];      /* why the connection cannot go on; empty if it can */
};

enum taken {
    TAKEN_FRAME,
    TAKEN_END,  /* the other side has ended its output, between two frames */
    TAKEN_FAULT /* `fault` says what is wrong */
};

bool connection_open(struct connection *connection, int descriptor);
void connection_close(struct connection *connection);

/* The next frame. Sends what waits before it waits itself. `bytes` are valid until the next call. */
enum taken connection_take(struct connection *connection, struct assay_bytes *bytes);

/* Overwrites a part of a frame that was taken: it may have held a secret. */
void connection_forget(struct assay_bytes bytes);

/* Space for `size` bytes, at most FRAME_PREFIX + FRAME_LIMIT, at the end of what waits to be sent; NULL after a fault. */
uint8_t *connection_reserve(struct connection *connection, size_t size);
/* Says where what was put into that space ends. */
void connection_commit(struct connection *connection, const uint8_t *end);

bool connection_flush(struct connection *connection);
/* Sends what waits if it has waited for a millisecond. */
void connection_flush_old(struct connection *connection);

/* Of a clock that is never set. */
int64_t monotonic_us(void);

#endif
