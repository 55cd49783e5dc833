#include "methods.h"

#include <stdio.h>

#include "call.h"
#include "handlers.h"

#define PATH "/assay.plugin.v1.Plugin/"

struct method {
    const char *name;
    const ProtobufCMessageDescriptor *request;
    /* The response, in the call's memory. NULL: the call's fault or its memory says why there is none. */
    const ProtobufCMessage *(*serve)(struct assay_call *call, const void *request);
    bool needs_configuration;
};

static const struct method methods[] = {
    {"Describe", DESCRIPTOR(describe_request), serve_describe, false},
    {"Validate", DESCRIPTOR(validate_request), serve_validate, false},
    {"Configure", DESCRIPTOR(configure_request), serve_configure, false},
    {"Locate", DESCRIPTOR(locate_request), serve_locate, true},
    {"Appraise", DESCRIPTOR(appraise_request), serve_appraise, true},
    {"Prepare", DESCRIPTOR(prepare_request), serve_prepare, true},
    {"Observe", DESCRIPTOR(observe_request), serve_observe, true},
    {"Health", DESCRIPTOR(health_request), serve_health, false},
};

static const struct method *find_method(struct assay_bytes path)
{
    size_t prefix = strlen(PATH);

    if (path.size < prefix || memcmp(path.data, PATH, prefix) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (assay_bytes_are(assay_bytes(path.data + prefix, path.size - prefix), methods[i].name))
            return &methods[i];
    return NULL;
}

/* MARK: Answers */

static bool send_status(struct session *session, uint64_t call_id, const struct status *status)
{
    uint8_t *out = connection_reserve(&session->connection, FRAME_HEAD_LIMIT + status->message.size + status->reason.size);

    if (!out)
        return false;
    connection_commit(&session->connection, frame_write_status(out, call_id, status));
    return true;
}

bool methods_refuse(struct session *session, uint64_t call_id, enum status_code code, const char *reason, const char *message)
{
    struct status status = {code, assay_string(message), assay_string(reason)};

    return send_status(session, call_id, &status);
}

static bool send_response(struct session *session, uint64_t call_id, const ProtobufCMessage *response)
{
    size_t size = protobuf_c_message_get_packed_size(response);
    uint8_t *out;

    if (size > FRAME_LIMIT - FRAME_HEAD_LIMIT)
        return methods_refuse(session, call_id, STATUS_INTERNAL, "reply_too_large",
            "the plugin's answer is larger than a frame");
    out = connection_reserve(&session->connection, FRAME_HEAD_LIMIT + size);
    if (!out)
        return false;
    out = frame_write_reply(out, call_id, size);
    connection_commit(&session->connection, out + protobuf_c_message_pack(response, out));
    return true;
}

static bool answer(struct assay_call *call, uint64_t call_id, const ProtobufCMessage *response)
{
    /* Before the fault: what a handler says after it ran out of memory is not what it would have said. */
    if (call->arena->exhausted)
        return methods_refuse(call->session, call_id, STATUS_RESOURCE_EXHAUSTED, "too_much_memory",
            "the request needs more than the 8 MiB of memory that the plugin has for a call");
    if (call->faulty)
        return send_status(call->session, call_id, &call->fault);
    return send_response(call->session, call_id, response);
}

/* MARK: Serving */

static const ProtobufCMessage *decode(struct assay_call *call, const struct method *method, struct assay_bytes message)
{
    const ProtobufCMessage *request = protobuf_c_message_unpack(method->request, &call->arena->allocator, message.size,
        message.data);

    connection_forget(message);
    if (!request)
        call_fault(call, STATUS_INVALID_ARGUMENT, "undecodable_message", "the message is no request of %s", method->name);
    return request;
}

static const ProtobufCMessage *run(struct assay_call *call, const struct method *method, struct assay_bytes message)
{
    const ProtobufCMessage *request = decode(call, method, message);

    if (!request)
        return NULL;
    if (method->needs_configuration && !call->session->configuration) {
        call_fault(call, STATUS_FAILED_PRECONDITION, "not_configured", "%s comes before Configure", method->name);
        return NULL;
    }
    return method->serve(call, request);
}

static int64_t deadline_of(const struct frame *frame, int64_t arrived_at_us)
{
    return frame->timeout_ms == 0 ? 0 : arrived_at_us + (int64_t)frame->timeout_ms * 1000;
}

static bool refuse_unknown(struct session *session, const struct frame *frame)
{
    /* A frame's method may be as long as a frame. */
    char sentence[128];
    int shown = frame->method.size > 80 ? 0 : (int)frame->method.size;

    snprintf(sentence, sizeof sentence, "there is no method %.*s", shown, (const char *)frame->method.data);
    return methods_refuse(session, frame->call_id, STATUS_UNIMPLEMENTED, "unknown_method", sentence);
}

bool methods_serve(struct session *session, const struct frame *frame, int64_t arrived_at_us)
{
    struct assay_call call = {.session = session, .arena = &session->arena};
    const struct method *method = find_method(frame->method);
    uint64_t call_id = frame->call_id;

    if (!method)
        return refuse_unknown(session, frame);
    if (frame->metadata_count > 32)
        return methods_refuse(session, call_id, STATUS_INVALID_ARGUMENT, "too_much_metadata",
            "a call has at most 32 entries of metadata");
    if (frame->timeout_ms > UINT32_MAX)
        return methods_refuse(session, call_id, STATUS_INVALID_ARGUMENT, "timeout_too_long",
            "timeout_ms has more than 32 bits");
    call.deadline_us = deadline_of(frame, arrived_at_us);
    if (call.deadline_us != 0 && monotonic_us() >= call.deadline_us)
        return methods_refuse(session, call_id, STATUS_DEADLINE_EXCEEDED, "deadline_exceeded",
            "the deadline passed before the call was begun");
    return answer(&call, call_id, run(&call, method, frame->message));
}
