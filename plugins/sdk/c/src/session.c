#include "session.h"

#include "methods.h"

static bool answer_ping(struct session *session)
{
    uint8_t *out = connection_reserve(&session->connection, FRAME_HEAD_LIMIT);

    if (!out)
        return false;
    connection_commit(&session->connection, frame_write_pong(out));
    return true;
}

static bool break_off(struct session *session, const char *fault)
{
    memcpy(session->connection.fault, fault, strlen(fault) + 1);
    return false;
}

/* A reply to a call that is not in flight is ignored. */
static void note_reply(struct session *session, const struct frame *frame)
{
    struct host_calls *host = &session->host;

    for (size_t i = 0; i < host->count; i++) {
        if (host->ids[i] != frame->call_id)
            continue;
        host->ids[i] = host->ids[--host->count];
        if (host->awaited != frame->call_id)
            return;
        host->replied = true;
        host->status.code = frame->status.code;
        host->status.message = arena_copy(&session->arena, frame->status.message);
        host->status.reason = arena_copy(&session->arena, frame->status.reason);
        host->message = arena_copy(&session->arena, frame->message);
        connection_forget(frame->message);
        return;
    }
}

/* What every frame but a call leads to. */
static bool handle_other(struct session *session, const struct frame *frame)
{
    if (frame->kind == FRAME_REPLY)
        note_reply(session, frame);
    return frame->kind != FRAME_PING || answer_ping(session);
}

/* Reads the next frame from the connection. */
static bool take_frame(struct session *session, struct assay_bytes *bytes, struct frame *frame)
{
    enum taken taken = connection_take(&session->connection, bytes);

    if (taken == TAKEN_END)
        session->ended = true;
    if (taken != TAKEN_FRAME)
        return false;
    if (!frame_read(*bytes, frame))
        return break_off(session, "the daemon sent a frame that cannot be decoded");
    if (frame->kind != FRAME_CALL)
        return true;
    if (frame->call_id == 0)
        return break_off(session, "the daemon began a call with id 0");
    if (frame->call_id == session->serving || queue_contains(&session->queue, frame->call_id))
        return break_off(session, "the daemon began a call with the id of one that is in flight");
    return true;
}

bool session_pump(struct session *session)
{
    struct assay_bytes bytes;
    struct frame frame;

    if (session->ended || !take_frame(session, &bytes, &frame))
        return false;
    if (frame.kind != FRAME_CALL)
        return handle_other(session, &frame);
    if (queue_add(&session->queue, frame.call_id, bytes, session->connection.read_at_us))
        return true;
    return methods_refuse(session, frame.call_id, STATUS_RESOURCE_EXHAUSTED, "too_many_calls",
        "more calls wait than the plugin takes");
}

static bool serve(struct session *session, const struct frame *frame, int64_t arrived_at_us)
{
    bool served;

    session->serving = frame->call_id;
    served = methods_serve(session, frame, arrived_at_us);
    session->serving = 0;
    arena_reset(&session->arena);
    connection_flush_old(&session->connection);
    return served;
}

static bool serve_queued(struct session *session)
{
    struct queued *queued = queue_take(&session->queue);
    struct frame frame;
    bool served;

    /* It was read before, when it came. */
    served = frame_read(assay_bytes(queued->frame, queued->size), &frame) && serve(session, &frame, queued->arrived_at_us);
    queue_free(queued);
    return served;
}

static bool serve_next(struct session *session)
{
    struct assay_bytes bytes;
    struct frame frame;

    if (session->queue.first)
        return serve_queued(session);
    if (session->ended || !take_frame(session, &bytes, &frame))
        return false;
    if (frame.kind != FRAME_CALL)
        return handle_other(session, &frame);
    return serve(session, &frame, session->connection.read_at_us);
}

int session_run(struct session *session)
{
    while (serve_next(session))
        continue;
    return connection_flush(&session->connection) ? 0 : 1;
}
