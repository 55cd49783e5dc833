#include "envelope.h"

#include <stdio.h>

static const char algorithm_name[] = "X25519-XSalsa20-Poly1305";

enum { PLACE_SIZE = 48, SHOWN_SIZE = 64 };

/* An envelope, and where it stands in the body: "envelopes[2]". */
struct reading {
    struct assay_call *call;
    struct assay_json json;
    char place[PLACE_SIZE];
    struct envelope *envelope;
};

static bool malformed(struct assay_call *call, const char *place, const char *expected)
{
    return assay_require(call, "form", false, "malformed", "expected %s as %s", place, expected);
}

static bool malformed_member(const struct reading *reading, const char *name, const char *expected)
{
    return assay_require(reading->call, "form", false, "malformed", "expected %s.%s as %s", reading->place, name, expected);
}

bool read_hex(struct assay_json value, uint8_t *out, size_t size)
{
    char text[2 * DIGEST_SIZE];
    size_t length;

    if (size > DIGEST_SIZE || !assay_json_string(value, text, sizeof text, &length) || length != 2 * size)
        return false;
    /* One value has one text. */
    for (size_t i = 0; i < length; i++)
        if (text[i] >= 'A' && text[i] <= 'F')
            return false;
    return assay_hex_decode(assay_bytes(text, length), out, size);
}

/* MARK: Members */

static bool read_algorithm(const struct reading *reading)
{
    struct assay_json algorithm = assay_json_member(reading->json, "algorithm");

    if (algorithm.kind != ASSAY_JSON_STRING)
        return malformed_member(reading, "algorithm", "a string");
    return assay_json_spells(algorithm, algorithm_name)
        || assay_require(reading->call, "algorithm", false, "unsupported_algorithm", "expected %s.algorithm as %s, found %.*s",
            reading->place, algorithm_name, (int)(algorithm.text.size < SHOWN_SIZE ? algorithm.text.size : SHOWN_SIZE),
            (const char *)algorithm.text.data);
}

static bool read_nonce(const struct reading *reading)
{
    struct assay_bytes *nonce = &reading->envelope->nonce;

    if (!assay_json_base64(reading->call, assay_json_member(reading->json, "nonce"), nonce))
        return malformed_member(reading, "nonce", "Base64 of 24 bytes");
    return nonce->size == NONCE_SIZE
        || assay_require(reading->call, "nonce", false, "nonce_invalid_length", "expected %s.nonce of %d bytes, found %zu",
            reading->place, NONCE_SIZE, nonce->size);
}

/* Whether the little-endian number is below 2^255 - 19: X25519 takes others for the same key, so that a key would have two
 * texts. */
static bool is_canonical(const uint8_t key[PUBLIC_KEY_SIZE])
{
    if (key[31] != 0x7f)
        return key[31] < 0x7f;
    for (size_t i = 30; i > 0; i--)
        if (key[i] != 0xff)
            return true;
    return key[0] < 0xed;
}

static bool read_key(const struct reading *reading)
{
    struct assay_bytes *key = &reading->envelope->ephemeral_key;

    return (assay_json_base64(reading->call, assay_json_member(reading->json, "ephemeral_public_key"), key)
               && key->size == PUBLIC_KEY_SIZE && is_canonical(key->data))
        || malformed_member(reading, "ephemeral_public_key", "Base64 of 32 bytes, a number below 2^255 - 19, little-endian");
}

static bool read_ciphertext(const struct reading *reading)
{
    struct assay_bytes *ciphertext = &reading->envelope->ciphertext;

    return (assay_json_base64(reading->call, assay_json_member(reading->json, "ciphertext"), ciphertext)
               && ciphertext->size >= TAG_SIZE)
        || malformed_member(reading, "ciphertext", "Base64 of the tag of 16 bytes and what it authenticates");
}

static bool read_plaintext_sha256(const struct reading *reading)
{
    struct assay_json value = assay_json_member(reading->json, "plaintext_sha256");

    reading->envelope->states_plaintext = value.kind != ASSAY_JSON_ABSENT;
    return !reading->envelope->states_plaintext || read_hex(value, reading->envelope->plaintext_sha256, DIGEST_SIZE)
        || malformed_member(reading, "plaintext_sha256", "64 lower-case hex digits, where it is given");
}

/* MARK: The document */

static bool has_only(const struct reading *reading)
{
    static const char *const names[] = {"algorithm", "recipient", "ephemeral_public_key", "nonce", "ciphertext",
        "plaintext_sha256", NULL};

    return assay_json_has_only(reading->json, names)
        || malformed(reading->call, reading->place,
            "an object with no members but algorithm, recipient, ephemeral_public_key, nonce, ciphertext and plaintext_sha256");
}

static bool read_envelope(const struct reading *reading)
{
    return has_only(reading) && read_algorithm(reading)
        && (read_hex(assay_json_member(reading->json, "recipient"), reading->envelope->recipient, FINGERPRINT_SIZE)
            || malformed_member(reading, "recipient", "a fingerprint of 40 lower-case hex digits"))
        && read_key(reading) && read_nonce(reading) && read_ciphertext(reading) && read_plaintext_sha256(reading);
}

/* Each recipient has one envelope, so that a fingerprint names it. */
static bool is_new(const struct envelopes *envelopes, const struct envelope *envelope)
{
    for (size_t i = 0; i < envelopes->count; i++)
        if (memcmp(envelopes->list[i].recipient, envelope->recipient, FINGERPRINT_SIZE) == 0)
            return false;
    return true;
}

static bool read_list(struct assay_call *call, struct assay_json list, struct envelopes *envelopes)
{
    struct assay_json_place place = {0};
    struct reading reading = {.call = call};

    if (list.kind != ASSAY_JSON_ARRAY || assay_json_count(list) < 1 || assay_json_count(list) > ENVELOPES)
        return malformed(call, "envelopes", "a list of 1 to 16 objects");
    while (assay_json_next_element(list, &place, &reading.json)) {
        snprintf(reading.place, sizeof reading.place, "envelopes[%zu]", envelopes->count);
        reading.envelope = &envelopes->list[envelopes->count];
        if (!read_envelope(&reading))
            return false;
        if (!is_new(envelopes, reading.envelope))
            return malformed_member(&reading, "recipient", "a fingerprint that no envelope before it has");
        envelopes->count++;
    }
    return true;
}

bool envelopes_read(struct assay_call *call, struct assay_bytes body, struct envelopes *envelopes)
{
    static const char *const names[] = {"envelopes", NULL};
    struct assay_json document;
    struct assay_json_error error;

    memset(envelopes, 0, sizeof *envelopes);
    if (!assay_json_parse(body, &document, &error))
        return assay_require(call, "form", false, "malformed", "the body is not JSON: at byte %zu: %s", error.at, error.what);
    if (document.kind != ASSAY_JSON_OBJECT || !assay_json_has_only(document, names))
        return malformed(call, "the body", "a JSON object with no member but envelopes");
    return read_list(call, assay_json_member(document, "envelopes"), envelopes)
        && assay_require(call, "form", true, "malformed", "never shown");
}
