#include "envelope.h"

#include "timestamp.h"

static bool malformed(struct assay_call *call, const char *expected)
{
    return assay_require(call, "form", false, "malformed", "expected %s", expected);
}

static bool read_document(struct assay_call *call, struct assay_bytes body, struct assay_json *document)
{
    static const char *const names[] = {"envelope", "headers", "request_mac", NULL};
    struct assay_json_error error;

    if (!assay_json_parse(body, document, &error))
        return assay_require(call, "form", false, "malformed", "the body is not JSON: at byte %zu: %s", error.at, error.what);
    if (document->kind != ASSAY_JSON_OBJECT)
        return malformed(call, "a JSON object");
    if (!assay_json_has_only(*document, names))
        return malformed(call, "no members but envelope, headers and request_mac");
    return true;
}

static bool read_version(struct assay_call *call, struct assay_json envelope)
{
    struct assay_json version = assay_json_member(envelope, "version"), algorithm = assay_json_member(envelope, "algorithm");

    if (envelope.kind != ASSAY_JSON_OBJECT || version.kind != ASSAY_JSON_STRING || algorithm.kind != ASSAY_JSON_STRING)
        return malformed(call, "envelope as an object whose version and algorithm are strings");
    if (!assay_require(call, "version", assay_json_spells(version, "1.0"), "unsupported_version", "expected the version 1.0"))
        return false;
    return assay_require(call, "algorithm", assay_json_spells(algorithm, "AES-256-GCM"), "unsupported_algorithm",
        "expected the algorithm AES-256-GCM");
}

static bool read_ciphertext(struct assay_call *call, struct assay_json json, struct envelope *envelope)
{
    if (!assay_json_base64(call, assay_json_member(json, "iv"), &envelope->iv) || envelope->iv.size != IV_SIZE)
        return malformed(call, "iv as Base64 of 12 bytes");
    if (!assay_json_base64(call, assay_json_member(json, "auth_tag"), &envelope->tag) || envelope->tag.size != TAG_SIZE)
        return malformed(call, "auth_tag as Base64 of 16 bytes");
    if (!assay_json_base64(call, assay_json_member(json, "encrypted_data"), &envelope->ciphertext))
        return malformed(call, "encrypted_data as Base64");
    return true;
}

static bool is_plain(struct assay_bytes text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < 0x20 || text.data[i] == 0x7f)
            return false;
    return true;
}

static bool read_names(struct assay_call *call, struct assay_json json, struct envelope *envelope)
{
    struct assay_json request_id = assay_json_member(json, "request_id");

    if (!assay_json_text(call, assay_json_member(json, "timestamp"), &envelope->timestamp)
        || envelope->timestamp.size > TIMESTAMP_SIZE
        || !timestamp_read(envelope->timestamp, &envelope->timestamp_ms))
        return malformed(call, "timestamp as a time in UTC, such as 2025-01-01T00:00:00.000Z");
    envelope->request_id = assay_bytes(NULL, 0);
    if (request_id.kind == ASSAY_JSON_ABSENT)
        return true;
    if (!assay_json_text(call, request_id, &envelope->request_id) || envelope->request_id.size == 0
        || envelope->request_id.size > REQUEST_ID_SIZE || !is_plain(envelope->request_id))
        return malformed(call, "request_id, if there is one, as text of 1 to 128 bytes without control characters");
    return true;
}

static bool read_mac(struct assay_call *call, struct assay_json document, struct envelope *envelope)
{
    struct assay_json mac = assay_json_member(document, "request_mac");

    envelope->headers = assay_json_member(document, "headers");
    if (envelope->headers.kind == ASSAY_JSON_ABSENT && mac.kind == ASSAY_JSON_ABSENT)
        return true;
    if (envelope->headers.kind != ASSAY_JSON_OBJECT)
        return malformed(call, "headers and request_mac together, headers as an object");
    if (!assay_json_base64(call, mac, &envelope->mac) || envelope->mac.size != MAC_SIZE)
        return malformed(call, "headers and request_mac together, request_mac as Base64 of 32 bytes");
    return true;
}

bool envelope_read(struct assay_call *call, struct assay_bytes body, struct envelope *envelope)
{
    struct assay_json document, json;

    memset(envelope, 0, sizeof *envelope);
    if (!read_document(call, body, &document))
        return false;
    json = assay_json_member(document, "envelope");
    return read_version(call, json) && read_ciphertext(call, json, envelope) && read_names(call, json, envelope)
        && read_mac(call, document, envelope) && assay_require(call, "form", true, "malformed", "never shown");
}
