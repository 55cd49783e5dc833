#include "appraise.h"

#include <openssl/evp.h>

#include "headers.h"
#include "opening.h"

enum { DIGEST_SIZE = 32, CLAIM_SIZE = 4096 };

static bool digest(const void *data, size_t size, uint8_t out[DIGEST_SIZE])
{
    return EVP_Digest(data, size, out, NULL, EVP_sha256(), NULL) > 0;
}

/* SHA-256 of "payload-envelope.token", the length of the request id as u32 big-endian, the request id and the iv. */
static bool token_of(const struct envelope *envelope, uint8_t token[DIGEST_SIZE])
{
    static const char label[] = "payload-envelope.token";
    uint8_t input[sizeof label - 1 + 4 + REQUEST_ID_SIZE + IV_SIZE];
    size_t size = sizeof label - 1;

    memcpy(input, label, size);
    memcpy(input + size, (uint8_t[]){0, 0, 0, (uint8_t)envelope->request_id.size}, 4);
    size += 4;
    if (envelope->request_id.size > 0)
        memcpy(input + size, envelope->request_id.data, envelope->request_id.size);
    size += envelope->request_id.size;
    memcpy(input + size, envelope->iv.data, IV_SIZE);
    return digest(input, size + IV_SIZE, token);
}

static bool check_time(struct assay_call *call, const struct settings *settings, const struct envelope *envelope,
    int64_t now_ms)
{
    int64_t age_ms = now_ms - envelope->timestamp_ms, window_ms = settings->window_seconds * 1000;

    return assay_require(call, "timestamp", age_ms >= -window_ms && age_ms <= window_ms, "timestamp_out_of_window",
        "expected a timestamp at most %lld s from the time of the request; it is %lld ms %s it",
        (long long)settings->window_seconds,
        (long long)(age_ms < 0 ? -age_ms : age_ms), age_ms < 0 ? "after" : "before");
}

static bool check_demands(struct assay_call *call, const struct settings *settings, const struct envelope *envelope,
    struct assay_bytes *covered)
{
    bool has_mac = envelope->mac.size > 0;

    if (has_mac && !headers_write(call, envelope->headers, covered))
        return assay_require(call, "headers", false, "malformed",
            "expected headers of printable ASCII, each name once, and at most %d whose names begin with smileid-",
            COVERED_HEADERS);
    if (settings->require_mac && !has_mac)
        return assay_require(call, "request_mac", false, "request_mac_required",
            "expected headers and request_mac; the body has neither");
    if (settings->require_request_id && envelope->request_id.size == 0)
        return assay_require(call, "request_id", false, "request_id_required", "expected a request_id; the envelope has none");
    return true;
}

/* Asked before the slow part, so that a repeated envelope costs little. The daemon uses the token up, and decides. */
static bool check_use(struct assay_call *call, const uint8_t token[DIGEST_SIZE])
{
    struct assay_bytes bytes = assay_bytes(token, DIGEST_SIZE);
    enum assay_found found = assay_find_used(call, &bytes, 1, NULL);

    if (found == ASSAY_NO_ANSWER)
        return false;
    return assay_require(call, "single_use", found == ASSAY_NOT_FOUND, "replayed",
        "an envelope with this request id and iv was accepted before");
}

static void claim(struct assay_call *call, const struct settings *settings, const struct envelope *envelope,
    const struct opened *opened)
{
    uint8_t sha256[DIGEST_SIZE];

    if (!digest(opened->payload.data, opened->payload.size, sha256)) {
        assay_error(call, "libcrypto_failed", "libcrypto cannot make a digest of the payload");
        return;
    }
    assay_claim_text(call, "secret_id", assay_string(opened->secret->id));
    if (envelope->request_id.size > 0)
        assay_claim_text(call, "request_id", envelope->request_id);
    assay_claim_time(call, "sent_at", envelope->timestamp_ms);
    assay_claim_boolean(call, "mac_checked", opened->mac_checked);
    assay_claim_bytes(call, "payload_sha256", assay_bytes(sha256, sizeof sha256));
    assay_claim_integer(call, "payload_size", (int64_t)opened->payload.size);
    if (settings->return_payload && opened->payload.size <= CLAIM_SIZE)
        assay_claim_bytes(call, "payload", opened->payload);
    else if (settings->return_payload)
        assay_note(call, "payload", "payload_not_returned", "a claim has at most %d bytes, the payload has %zu", CLAIM_SIZE,
            opened->payload.size);
}

void payload_envelope_appraise(struct assay_call *call, const struct assay_evidence *evidence)
{
    const struct settings *settings = assay_configuration(call);
    struct assay_bytes covered = {NULL, 0};
    struct envelope envelope;
    struct opened opened;
    uint8_t token[DIGEST_SIZE];

    if (!envelope_read(call, evidence->body, &envelope) || !check_time(call, settings, &envelope, evidence->now_ms)
        || !check_demands(call, settings, &envelope, &covered) || !token_of(&envelope, token) || !check_use(call, token))
        return;
    if (!assay_require(call, "cryptography", opening_try(call, settings, &envelope, covered, evidence->now_ms, &opened),
            "decryption_failed",
            "the envelope cannot be opened by a secret that is valid now, or its request MAC is not right"))
        return;
    claim(call, settings, &envelope, &opened);
    assay_assurance(call, ASSAY_ASSURANCE_SOFTWARE);
    /* Remembered for the widest window, so that a wider one, configured later, opens no envelope twice. */
    assay_use_token(call, assay_bytes(token, sizeof token), envelope.timestamp_ms + ((int64_t)WINDOW_SECONDS_MOST + 1) * 1000,
        "replayed");
}
