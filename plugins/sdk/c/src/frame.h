/* Frames of framed RPC (proto/README.md), read and written in place: nothing is allocated, and what is read points into what
 * was given. */
#ifndef ASSAY_FRAME_H
#define ASSAY_FRAME_H

#include <assay/bytes.h>

enum {
    FRAME_LIMIT = 1024 * 1024, /* plugin protocol, "The connection", 2 */
    FRAME_PREFIX = 4,
    FRAME_HEAD_LIMIT = 64 /* the most that a frame has around method, message and status, its length included */
};

enum frame_kind {
    FRAME_OTHER, /* a kind that is not known, or that a plugin is not sent: ignored */
    FRAME_CALL,
    FRAME_REPLY,
    FRAME_CANCEL,
    FRAME_PING,
    FRAME_PONG
};

/* gRPC's numbers. */
enum status_code {
    STATUS_OK = 0,
    STATUS_INVALID_ARGUMENT = 3,
    STATUS_DEADLINE_EXCEEDED = 4,
    STATUS_NOT_FOUND = 5,
    STATUS_RESOURCE_EXHAUSTED = 8,
    STATUS_FAILED_PRECONDITION = 9,
    STATUS_UNIMPLEMENTED = 12,
    STATUS_INTERNAL = 13,
    STATUS_UNAVAILABLE = 14
};

struct status {
    uint64_t code;
    struct assay_bytes message, reason;
};

struct frame {
    uint64_t call_id;
    enum frame_kind kind;
    struct assay_bytes message;    /* of a call or a reply */
    struct assay_bytes method;     /* of a call */
    uint64_t timeout_ms;           /* of a call: not yet judged to have 32 bits */
    size_t metadata_count;         /* of a call */
    struct status status;          /* of a reply */
};

/* Reads what follows a frame's length. False: it is no frame. */
bool frame_read(struct assay_bytes bytes, struct frame *frame);

/* The writers put a whole frame into `out`, or its head, behind which the caller puts `message_size` bytes. `out` has space for
 * FRAME_HEAD_LIMIT bytes beside the texts. They return the end of what they wrote, or NULL if the frame would exceed
 * FRAME_LIMIT. */
uint8_t *frame_write_call(uint8_t *out, uint64_t call_id, struct assay_bytes method, uint32_t timeout_ms, size_t message_size);
uint8_t *frame_write_reply(uint8_t *out, uint64_t call_id, size_t message_size);
uint8_t *frame_write_status(uint8_t *out, uint64_t call_id, const struct status *status);
uint8_t *frame_write_pong(uint8_t *out);

#endif
