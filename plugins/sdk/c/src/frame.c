#include "frame.h"

#include "utf8.h"

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/* Field numbers of assay.rpc.v1. */
enum { FRAME_CALL_ID = 1, FRAME_FIRST_KIND = 2, FRAME_LAST_KIND = 9 };
enum { KIND_CALL = 2, KIND_REPLY = 3, KIND_CANCEL = 6, KIND_PING = 7, KIND_PONG = 8 };
enum { CALL_METHOD = 1, CALL_MESSAGE = 2, CALL_TIMEOUT = 3, CALL_METADATA = 4 };
enum { REPLY_STATUS = 1, REPLY_MESSAGE = 2 };
enum { STATUS_CODE = 1, STATUS_MESSAGE = 2, STATUS_REASON = 3 };

/* MARK: Reading */

struct reader {
    const uint8_t *at, *end;
};

struct field {
    uint64_t number;
    enum wire_type type;
    uint64_t value;
    struct assay_bytes bytes;
};

static bool read_varint(struct reader *reader, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
        uint8_t byte = *reader->at++;
        if (shift == 63 && byte > 1)
            return false;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool read_bytes(struct reader *reader, uint64_t size, struct assay_bytes *bytes)
{
    if (size > (uint64_t)(reader->end - reader->at))
        return false;
    *bytes = assay_bytes(reader->at, (size_t)size);
    reader->at += size;
    return true;
}

static bool read_field(struct reader *reader, struct field *field)
{
    uint64_t key, size;

    if (!read_varint(reader, &key) || key >> 3 == 0 || key > UINT32_MAX)
        return false;
    field->number = key >> 3;
    field->type = (enum wire_type)(key & 7);
    field->bytes = assay_bytes(NULL, 0);
    switch (field->type) {
    case WIRE_VARINT: return read_varint(reader, &field->value);
    case WIRE_FIXED64: return read_bytes(reader, 8, &field->bytes);
    case WIRE_BYTES: return read_varint(reader, &size) && read_bytes(reader, size, &field->bytes);
    case WIRE_FIXED32: return read_bytes(reader, 4, &field->bytes);
    default: return false; /* a group */
    }
}

/* Reads each field of a message by `take`, which returns false for a field that makes the message undecodable. */
static bool read_message(struct assay_bytes bytes, bool (*take)(const struct field *, void *), void *target)
{
    struct reader reader = {bytes.data, bytes.data + bytes.size};
    struct field field;

    while (reader.at < reader.end)
        if (!read_field(&reader, &field) || !take(&field, target))
            return false;
    return true;
}

static bool is_text(const struct field *field)
{
    return field->type == WIRE_BYTES && utf8_valid(field->bytes);
}

static bool take_metadata(const struct field *field, void *target)
{
    (void)target;
    return field->number > 2 || is_text(field);
}

struct call_reader {
    struct frame *frame;
    bool has_method, has_message;
};

static bool take_call_field(const struct field *field, void *target)
{
    struct call_reader *call = target;

    switch (field->number) {
    case CALL_METHOD:
        call->frame->method = field->bytes;
        return is_text(field) && !call->has_method && (call->has_method = true);
    case CALL_MESSAGE:
        call->frame->message = field->bytes;
        return field->type == WIRE_BYTES && !call->has_message && (call->has_message = true);
    case CALL_TIMEOUT:
        call->frame->timeout_ms = field->value;
        return field->type == WIRE_VARINT;
    case CALL_METADATA:
        call->frame->metadata_count++;
        return field->type == WIRE_BYTES && read_message(field->bytes, take_metadata, NULL);
    default: return true;
    }
}

static bool take_status_field(const struct field *field, void *target)
{
    struct status *status = target;

    switch (field->number) {
    case STATUS_CODE: status->code = field->value; return field->type == WIRE_VARINT;
    case STATUS_MESSAGE: status->message = field->bytes; return is_text(field);
    case STATUS_REASON: status->reason = field->bytes; return is_text(field);
    default: return true;
    }
}

static bool take_reply_field(const struct field *field, void *target)
{
    struct frame *frame = target;

    switch (field->number) {
    case REPLY_STATUS: return field->type == WIRE_BYTES && read_message(field->bytes, take_status_field, &frame->status);
    case REPLY_MESSAGE: frame->message = field->bytes; return field->type == WIRE_BYTES;
    default: return true;
    }
}

static bool take_nothing(const struct field *field, void *target)
{
    (void)field;
    (void)target;
    return true;
}

static bool read_kind(const struct field *field, struct frame *frame)
{
    struct call_reader call = {frame, false, false};

    switch (field->number) {
    case KIND_CALL: frame->kind = FRAME_CALL; return read_message(field->bytes, take_call_field, &call);
    case KIND_REPLY: frame->kind = FRAME_REPLY; return read_message(field->bytes, take_reply_field, frame);
    case KIND_CANCEL: frame->kind = FRAME_CANCEL; break;
    case KIND_PING: frame->kind = FRAME_PING; break;
    case KIND_PONG: frame->kind = FRAME_PONG; break;
    default: break;
    }
    return read_message(field->bytes, take_nothing, NULL);
}

struct frame_reader {
    struct frame *frame;
    bool has_kind;
};

static bool take_frame_field(const struct field *field, void *target)
{
    struct frame_reader *reader = target;

    if (field->number == FRAME_CALL_ID) {
        reader->frame->call_id = field->value;
        return field->type == WIRE_VARINT;
    }
    if (field->number < FRAME_FIRST_KIND || field->number > FRAME_LAST_KIND)
        return true;
    if (reader->has_kind || field->type != WIRE_BYTES)
        return false;
    reader->has_kind = true;
    return read_kind(field, reader->frame);
}

bool frame_read(struct assay_bytes bytes, struct frame *frame)
{
    struct frame_reader reader = {frame, false};

    memset(frame, 0, sizeof *frame);
    return read_message(bytes, take_frame_field, &reader);
}

/* MARK: Writing */

static size_t varint_size(uint64_t value)
{
    size_t size = 1;

    while (value >= 0x80) {
        value >>= 7;
        size++;
    }
    return size;
}

static uint8_t *write_varint(uint8_t *out, uint64_t value)
{
    while (value >= 0x80) {
        *out++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *out++ = (uint8_t)value;
    return out;
}

/* The size of a field of one number below 16, key included. */
static size_t bytes_field_size(size_t size)
{
    return size == 0 ? 0 : 1 + varint_size(size) + size;
}

static size_t number_field_size(uint64_t value)
{
    return value == 0 ? 0 : 1 + varint_size(value);
}

static uint8_t *write_key(uint8_t *out, unsigned number, enum wire_type type)
{
    *out++ = (uint8_t)(number << 3 | (unsigned)type);
    return out;
}

static uint8_t *write_head(uint8_t *out, unsigned number, size_t size)
{
    return write_varint(write_key(out, number, WIRE_BYTES), size);
}

static uint8_t *write_bytes(uint8_t *out, unsigned number, struct assay_bytes bytes)
{
    if (bytes.size == 0)
        return out;
    out = write_head(out, number, bytes.size);
    memcpy(out, bytes.data, bytes.size);
    return out + bytes.size;
}

static uint8_t *write_number(uint8_t *out, unsigned number, uint64_t value)
{
    return value == 0 ? out : write_varint(write_key(out, number, WIRE_VARINT), value);
}

/* Length, call id and the head of the kind, which has `size` bytes. */
static uint8_t *write_start(uint8_t *out, uint64_t call_id, unsigned kind, size_t size)
{
    size_t length = number_field_size(call_id) + 1 + varint_size(size) + size;

    if (length > FRAME_LIMIT)
        return NULL;
    for (int shift = 24; shift >= 0; shift -= 8)
        *out++ = (uint8_t)(length >> shift);
    return write_head(write_number(out, FRAME_CALL_ID, call_id), kind, size);
}

uint8_t *frame_write_call(uint8_t *out, uint64_t call_id, struct assay_bytes method, uint32_t timeout_ms, size_t message_size)
{
    size_t size = bytes_field_size(method.size) + number_field_size(timeout_ms) + bytes_field_size(message_size);

    out = write_start(out, call_id, KIND_CALL, size);
    if (!out)
        return NULL;
    out = write_number(write_bytes(out, CALL_METHOD, method), CALL_TIMEOUT, timeout_ms);
    return message_size == 0 ? out : write_head(out, CALL_MESSAGE, message_size);
}

uint8_t *frame_write_reply(uint8_t *out, uint64_t call_id, size_t message_size)
{
    out = write_start(out, call_id, KIND_REPLY, bytes_field_size(message_size));
    if (!out || message_size == 0)
        return out;
    return write_head(out, REPLY_MESSAGE, message_size);
}

uint8_t *frame_write_status(uint8_t *out, uint64_t call_id, const struct status *status)
{
    size_t texts = bytes_field_size(status->message.size) + bytes_field_size(status->reason.size);
    size_t size = number_field_size(status->code) + texts;

    out = write_start(out, call_id, KIND_REPLY, bytes_field_size(size));
    if (!out)
        return NULL;
    out = write_number(write_head(out, REPLY_STATUS, size), STATUS_CODE, status->code);
    return write_bytes(write_bytes(out, STATUS_MESSAGE, status->message), STATUS_REASON, status->reason);
}

uint8_t *frame_write_pong(uint8_t *out)
{
    return write_start(out, 0, KIND_PONG, 0);
}
