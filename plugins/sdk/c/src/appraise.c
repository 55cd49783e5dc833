/* Locate, Appraise and Prepare. */
#include "handlers.h"

/* The daemon asks only for what was declared; a request for anything else is answered all the same. */
static bool find_format(struct assay_call *call, struct assay_bytes name, struct assay_bytes body)
{
    const struct assay_format *format = call->session->plugin->formats;

    while (format && format->name && !assay_bytes_are(name, format->name))
        format++;
    if (!format || !format->name) {
        call_fault(call, STATUS_INVALID_ARGUMENT, "unknown_format", "the plugin does not appraise this format");
        return false;
    }
    call->format = format;
    if (body.size <= format->size_limit)
        return true;
    call_fault(call, STATUS_INVALID_ARGUMENT, "body_too_large", "a body of %s has at most %u bytes, this has %zu", format->name,
        format->size_limit, body.size);
    return false;
}

static bool has_function(struct assay_call *call, bool has, const char *method)
{
    if (!has)
        call_fault(call, STATUS_UNIMPLEMENTED, "unknown_method", "the format %s has no %s", call->format->name, method);
    return has;
}

const struct assay_device *device_of(struct assay_call *call, const MESSAGE(Device) *message)
{
    struct assay_device *device = message ? arena_allocate(call->arena, sizeof *device) : NULL;

    if (!device)
        return NULL;
    device->id = bytes_of(message->id);
    device->subject_key = bytes_of(message->subject_key);
    device->public_key = bytes_of(message->public_key);
    device->counter = message->counter;
    device->registered_at_ms = message->registered_at_unix_ms;
    return device;
}

/* MARK: Locate */

const ProtobufCMessage *serve_locate(struct assay_call *call, const void *message)
{
    const MESSAGE(LocateRequest) *request = message;
    MESSAGE(LocateResponse) *response = call_message(call, DESCRIPTOR(locate_response));
    struct assay_evidence evidence = {.format = bytes_of(request->format), .app = bytes_of(request->app),
        .body = bytes_of(request->body)};

    if (!response || !find_format(call, evidence.format, evidence.body)
        || !has_function(call, call->format->locate != NULL, "Locate"))
        return NULL;
    call->format->locate(call, &evidence);
    response->refusal = call->refusal;
    if (!call->refusal)
        response->subject_key = binary_of(call->answer);
    return &response->base;
}

/* MARK: Appraise */

static struct assay_evidence evidence_of(struct assay_call *call, const MESSAGE(AppraiseRequest) *request)
{
    struct assay_evidence evidence = {
        .format = bytes_of(request->format),
        .app = bytes_of(request->app),
        .purpose = (enum assay_purpose)request->purpose,
        .body = bytes_of(request->body),
        .now_ms = request->now_unix_ms,
        .device = device_of(call, request->device),
        .request_id = bytes_of(request->request_id),
    };

    if (request->expected) {
        evidence.client_data = bytes_of(request->expected->client_data);
        evidence.payload_sha256 = bytes_of(request->expected->payload_sha256);
        evidence.signals = bytes_of(request->expected->signals);
    }
    return evidence;
}

/* Without a finding the daemon rejects; after a failed one nothing else counts, and nothing else is sent. */
static const ProtobufCMessage *appraisal_of(struct assay_call *call)
{
    MESSAGE(AppraiseResponse) *response = call_message(call, DESCRIPTOR(appraise_response));

    if (!response)
        return NULL;
    if (!call->failed) {
        *response = call->appraisal;
        response->claims = call->claims;
        response->n_claims = call->claim_count;
        response->used_tokens = call->tokens;
        response->n_used_tokens = call->token_count;
        response->measurements = call->measurements;
        response->n_measurements = call->measurement_count;
    }
    response->findings = call->findings;
    response->n_findings = call->finding_count;
    return &response->base;
}

const ProtobufCMessage *serve_appraise(struct assay_call *call, const void *message)
{
    const MESSAGE(AppraiseRequest) *request = message;
    struct assay_evidence evidence;

    if (!find_format(call, bytes_of(request->format), bytes_of(request->body)))
        return NULL;
    if (request->purpose < 0 || request->purpose > 31 || !(call->format->purposes & ASSAY_FOR(request->purpose))) {
        call_fault(call, STATUS_INVALID_ARGUMENT, "unknown_purpose", "the format %s is not for purpose %d", call->format->name,
            request->purpose);
        return NULL;
    }
    if (call->format->freshness == ASSAY_PAYLOAD && (!request->expected || request->expected->payload_sha256.len != 32)) {
        call_fault(call, STATUS_INVALID_ARGUMENT, "no_payload", "the format %s needs the SHA-256 of a payload", call->format->name);
        return NULL;
    }
    protobuf_c_message_init(DESCRIPTOR(appraise_response), &call->appraisal);
    call->appraises = true;
    call->token = bytes_of(request->call_token);
    evidence = evidence_of(call, request);
    call->format->appraise(call, &evidence);
    return appraisal_of(call);
}

/* MARK: Prepare */

const ProtobufCMessage *serve_prepare(struct assay_call *call, const void *message)
{
    const MESSAGE(PrepareRequest) *request = message;
    MESSAGE(PrepareResponse) *response = call_message(call, DESCRIPTOR(prepare_response));
    struct assay_evidence evidence = {.format = bytes_of(request->format), .app = bytes_of(request->app),
        .body = bytes_of(request->body),
        .now_ms = request->now_unix_ms};

    if (!response || !find_format(call, evidence.format, evidence.body)
        || !has_function(call, call->format->prepare != NULL, "Prepare"))
        return NULL;
    call->token = bytes_of(request->call_token);
    call->format->prepare(call, &evidence);
    response->refusal = call->refusal;
    if (!call->refusal) {
        response->body = binary_of(call->answer);
        response->expiry_unix_ms = call->expiry_ms;
    }
    return &response->base;
}
