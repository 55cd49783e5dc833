#include "call.h"

#include "text.h"

void *call_message(struct assay_call *call, const ProtobufCMessageDescriptor *descriptor)
{
    void *message = arena_allocate(call->arena, descriptor->sizeof_message);

    if (message)
        protobuf_c_message_init(descriptor, message);
    return message;
}

const char *call_sentence(struct assay_call *call, const char *format, va_list arguments)
{
    char text[TEXT_LIMIT + 1];
    size_t size = text_format(text, format, arguments);
    struct assay_bytes copy = arena_copy(call->arena, assay_bytes(text, size + 1));

    return copy.data ? (const char *)copy.data : "";
}

ProtobufCBinaryData call_name(struct assay_call *call, const char *name)
{
    return binary_of(arena_copy(call->arena, assay_string(name ? name : "")));
}

static void set_fault(struct assay_call *call, enum status_code code, const char *reason, const char *format, va_list arguments)
{
    if (call->faulty)
        return;
    call->faulty = true;
    call->fault.code = code;
    call->fault.reason = arena_copy(call->arena, assay_string(reason));
    call->fault.message = assay_string(call_sentence(call, format, arguments));
}

void call_fault(struct assay_call *call, enum status_code code, const char *reason, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set_fault(call, code, reason, format, arguments);
    va_end(arguments);
}

void assay_error(struct assay_call *call, const char *reason, const char *sentence, ...)
{
    va_list arguments;

    va_start(arguments, sentence);
    set_fault(call, STATUS_UNAVAILABLE, reason, sentence, arguments);
    va_end(arguments);
}

const void *assay_configuration(const struct assay_call *call)
{
    return call->session->configuration;
}

void *assay_allocate(struct assay_call *call, size_t size)
{
    return arena_allocate(call->arena, size);
}

void assay_flush(struct assay_call *call)
{
    connection_flush(&call->session->connection);
}

bool assay_json_text(struct assay_call *call, struct assay_json value, struct assay_bytes *text)
{
    size_t size = assay_json_string_size(value);
    uint8_t *decoded;

    if (value.kind != ASSAY_JSON_STRING)
        return false;
    decoded = arena_allocate(call->arena, size);
    if (!decoded || !assay_json_string(value, decoded, size, &size))
        return false;
    *text = assay_bytes(decoded, size);
    return true;
}

bool assay_json_base64(struct assay_call *call, struct assay_json value, struct assay_bytes *bytes)
{
    struct assay_bytes text;
    uint8_t *decoded;
    size_t size;

    if (!assay_json_text(call, value, &text))
        return false;
    size = assay_base64_bound(text.size);
    decoded = arena_allocate(call->arena, size);
    if (!decoded || !assay_base64_decode(text, decoded, size, &size))
        return false;
    *bytes = assay_bytes(decoded, size);
    return true;
}
