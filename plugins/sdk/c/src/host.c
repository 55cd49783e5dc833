/* The services of assay.plugin.v1.Host. */
#include "call.h"
#include "handlers.h"

#define PATH "/assay.plugin.v1.Host/"

/* MARK: Calls */

/* The size of a text for a sentence's %.*s. */
static int shown(struct assay_bytes text)
{
    return text.size > 256 ? 256 : (int)text.size;
}

static uint32_t timeout_of(const struct assay_call *call)
{
    int64_t left_ms;

    if (call->deadline_us == 0)
        return 0;
    left_ms = (call->deadline_us - monotonic_us()) / 1000;
    return left_ms < 1 ? 1 : left_ms > UINT32_MAX ? UINT32_MAX : (uint32_t)left_ms;
}

/* Puts the call behind what waits to be sent. The id, or 0. */
static uint64_t begin(struct assay_call *call, const char *path, const ProtobufCMessage *request)
{
    struct session *session = call->session;
    size_t size = protobuf_c_message_get_packed_size(request), limit = FRAME_HEAD_LIMIT + strlen(path);
    uint64_t id = session->host.last_id + 1;
    uint8_t *out;

    /* A reply makes a place free. */
    while (session->host.count == HOST_CALLS)
        if (!session_pump(session))
            return 0;
    out = size > FRAME_LIMIT - limit ? NULL : connection_reserve(&session->connection, limit + size);
    if (!out)
        return 0;
    out = frame_write_call(out, id, assay_string(path), timeout_of(call), size);
    connection_commit(&session->connection, out + protobuf_c_message_pack(request, out));
    session->host.last_id = id;
    session->host.ids[session->host.count++] = id;
    return id;
}

/* Begins a call whose reply decides nothing. */
static void tell(struct assay_call *call, const char *path, const ProtobufCMessage *request)
{
    if (!call->session->ended)
        begin(call, path, request);
}

static bool await(struct session *session, uint64_t id)
{
    session->host.awaited = id;
    session->host.replied = false;
    while (!session->host.replied && session_pump(session))
        continue;
    session->host.awaited = 0;
    return session->host.replied;
}

/* Calls, and waits for the status. False: there is none, and the daemon's call is at fault. */
static bool exchange(struct assay_call *call, const char *path, const ProtobufCMessage *request)
{
    uint64_t id = call->session->ended ? 0 : begin(call, path, request);

    if (id != 0 && await(call->session, id))
        return true;
    call_fault(call, STATUS_UNAVAILABLE, "host_gone", "the connection ended before the host answered %s", path);
    return false;
}

/* The response of the exchange. NULL: the host refused, or its answer cannot be decoded, and the daemon's call is at fault. */
static void *read_response(struct assay_call *call, const char *path, const ProtobufCMessageDescriptor *descriptor)
{
    const struct host_calls *host = &call->session->host;
    const struct status *status = &host->status;
    void *response;

    if (status->code != STATUS_OK) {
        call_fault(call, STATUS_UNAVAILABLE, "host_refused", "the host answered %s with status %llu, %.*s: %.*s", path,
            (unsigned long long)status->code, shown(status->reason), (const char *)status->reason.data, shown(status->message),
            (const char *)status->message.data);
        return NULL;
    }
    response = protobuf_c_message_unpack(descriptor, &call->arena->allocator, host->message.size, host->message.data);
    if (!response)
        call_fault(call, STATUS_UNAVAILABLE, "host_undecodable", "the host's answer to %s cannot be decoded", path);
    return response;
}

static void *ask(struct assay_call *call, const char *path, const ProtobufCMessage *request,
    const ProtobufCMessageDescriptor *descriptor)
{
    return exchange(call, path, request) ? read_response(call, path, descriptor) : NULL;
}

/* MARK: Services */

enum assay_found assay_find_device(struct assay_call *call, struct assay_bytes subject_key, const struct assay_device **device)
{
    MESSAGE(FindDeviceRequest) request = ASSAY__PLUGIN__V1__FIND_DEVICE_REQUEST__INIT;
    MESSAGE(FindDeviceResponse) *response;

    request.call_token = binary_of(call->token);
    request.subject_key = binary_of(subject_key);
    response = ask(call, PATH "FindDevice", &request.base, DESCRIPTOR(find_device_response));
    if (!response)
        return ASSAY_NO_ANSWER;
    *device = device_of(call, response->device);
    return *device ? ASSAY_FOUND : ASSAY_NOT_FOUND;
}

static ProtobufCBinaryData *binaries_of(struct assay_call *call, const struct assay_bytes *list, size_t count)
{
    ProtobufCBinaryData *binaries = arena_allocate(call->arena, count * sizeof *binaries);

    for (size_t i = 0; binaries && i < count; i++)
        binaries[i] = binary_of(list[i]);
    return binaries;
}

enum assay_found assay_find_used(struct assay_call *call, const struct assay_bytes *tokens, size_t count, bool *used)
{
    MESSAGE(FindUsedRequest) request = ASSAY__PLUGIN__V1__FIND_USED_REQUEST__INIT;
    MESSAGE(FindUsedResponse) *response;
    enum assay_found found = ASSAY_NOT_FOUND;

    request.call_token = binary_of(call->token);
    request.tokens = binaries_of(call, tokens, count);
    request.n_tokens = request.tokens ? count : 0;
    response = ask(call, PATH "FindUsed", &request.base, DESCRIPTOR(find_used_response));
    if (!response)
        return ASSAY_NO_ANSWER;
    if (response->n_used != count) {
        call_fault(call, STATUS_UNAVAILABLE, "host_undecodable", "the host answered for %zu tokens of %zu", response->n_used,
            count);
        return ASSAY_NO_ANSWER;
    }
    for (size_t i = 0; i < count; i++) {
        if (used)
            used[i] = response->used[i];
        if (response->used[i])
            found = ASSAY_FOUND;
    }
    return found;
}

enum assay_found assay_get_anchors(struct assay_call *call, const struct assay_bytes **certificates, size_t *count)
{
    MESSAGE(GetAnchorsRequest) request = ASSAY__PLUGIN__V1__GET_ANCHORS_REQUEST__INIT;
    MESSAGE(GetAnchorsResponse) *response;
    struct assay_bytes *list;

    request.call_token = binary_of(call->token);
    response = ask(call, PATH "GetAnchors", &request.base, DESCRIPTOR(get_anchors_response));
    if (!response)
        return ASSAY_NO_ANSWER;
    list = arena_allocate(call->arena, response->n_certificates * sizeof *list);
    if (!list)
        return ASSAY_NO_ANSWER;
    for (size_t i = 0; i < response->n_certificates; i++)
        list[i] = bytes_of(response->certificates[i]);
    *certificates = list;
    *count = response->n_certificates;
    return *count > 0 ? ASSAY_FOUND : ASSAY_NOT_FOUND;
}

static const struct assay_fleet_device *fleet_device_of(struct assay_call *call, const MESSAGE(FleetDevice) *message)
{
    struct assay_fleet_device *device = message ? arena_allocate(call->arena, sizeof *device) : NULL;

    if (!device)
        return NULL;
    device->id = bytes_of(message->id);
    device->serial = bytes_of(message->serial);
    device->family = bytes_of(message->family);
    device->tables = message->tables;
    device->table_count = message->n_tables;
    device->public_key = bytes_of(message->public_key);
    device->blocked = message->blocked;
    return device;
}

enum assay_found assay_find_fleet_device(struct assay_call *call, const uint8_t secret[32],
    const struct assay_fleet_device **device)
{
    MESSAGE(FindFleetDeviceRequest) request = ASSAY__PLUGIN__V1__FIND_FLEET_DEVICE_REQUEST__INIT;
    MESSAGE(FindFleetDeviceResponse) *response;

    request.call_token = binary_of(call->token);
    request.secret = binary_of(assay_bytes(secret, 32));
    response = ask(call, PATH "FindFleetDevice", &request.base, DESCRIPTOR(find_fleet_device_response));
    if (!response)
        return ASSAY_NO_ANSWER;
    *device = fleet_device_of(call, response->device);
    return *device ? ASSAY_FOUND : ASSAY_NOT_FOUND;
}

enum assay_found assay_derive_key(struct assay_call *call, uint32_t table, uint32_t index, uint8_t key[32])
{
    MESSAGE(DeriveKeyRequest) request = ASSAY__PLUGIN__V1__DERIVE_KEY_REQUEST__INIT;
    MESSAGE(DeriveKeyResponse) *response;
    const char *path = PATH "DeriveKey";

    request.call_token = binary_of(call->token);
    request.table = table;
    request.index = index;
    if (!exchange(call, path, &request.base))
        return ASSAY_NO_ANSWER;
    if (call->session->host.status.code == STATUS_NOT_FOUND)
        return ASSAY_NOT_FOUND;
    response = read_response(call, path, DESCRIPTOR(derive_key_response));
    if (!response)
        return ASSAY_NO_ANSWER;
    if (response->key.len != 32) {
        call_fault(call, STATUS_UNAVAILABLE, "host_undecodable", "the host answered with a key of %zu bytes, expected 32",
            response->key.len);
        return ASSAY_NO_ANSWER;
    }
    memcpy(key, response->key.data, 32);
    return ASSAY_FOUND;
}

/* MARK: Log and Measure */

void assay_log(struct assay_call *call, enum assay_level level, const char *format, ...)
{
    MESSAGE(LogRequest) request = ASSAY__PLUGIN__V1__LOG_REQUEST__INIT;
    va_list arguments;

    va_start(arguments, format);
    request.level = (MESSAGE(Level))level;
    request.message = text_field(call_sentence(call, format, arguments));
    va_end(arguments);
    tell(call, PATH "Log", &request.base);
}

void assay_count(struct assay_call *call, const char *name, uint64_t increment)
{
    MESSAGE(MeasureRequest) request = ASSAY__PLUGIN__V1__MEASURE_REQUEST__INIT;

    request.name = binary_text(name);
    request.value_case = ASSAY__PLUGIN__V1__MEASURE_REQUEST__VALUE_INCREMENT;
    request.increment = increment;
    tell(call, PATH "Measure", &request.base);
}

void assay_gauge(struct assay_call *call, const char *name, double value)
{
    MESSAGE(MeasureRequest) request = ASSAY__PLUGIN__V1__MEASURE_REQUEST__INIT;

    request.name = binary_text(name);
    request.value_case = ASSAY__PLUGIN__V1__MEASURE_REQUEST__VALUE_GAUGE;
    request.gauge = value;
    tell(call, PATH "Measure", &request.base);
}
