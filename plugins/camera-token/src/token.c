#include "token.h"

#include <stdio.h>

static bool malformed(struct assay_call *call, const char *expected)
{
    return assay_require(call, "form", false, "malformed", "expected %s", expected);
}

/* A certificate bundle is the newer format of the same cameras. */
static bool check_format(struct assay_call *call, struct assay_json json)
{
    static const char *const foreign[] = {"camera_cert", "bundle_signature"};

    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        if (assay_json_member(json, foreign[i]).kind != ASSAY_JSON_ABSENT)
            return assay_require(call, "form", false, "wrong_format",
                "expected a camera token; the member %s is of a certificate bundle", foreign[i]);
    return true;
}

static bool read_document(struct assay_call *call, struct assay_bytes body, struct assay_json *json)
{
    struct assay_json_error error;

    if (!assay_json_parse(body, json, &error))
        return assay_require(call, "form", false, "malformed", "the body is not JSON: at byte %zu: %s", error.at, error.what);
    if (json->kind != ASSAY_JSON_OBJECT)
        return malformed(call, "a JSON object");
    return check_format(call, *json);
}

static bool read_hash(struct assay_call *call, struct assay_json json, struct token *token)
{
    struct assay_bytes text;
    uint8_t hash[HASH_SIZE];

    if (!assay_json_text(call, assay_json_member(json, "image_hash"), &text) || !assay_hex_decode(text, hash, sizeof hash))
        return malformed(call, "image_hash as 64 hex digits");
    assay_hex_encode(assay_bytes(hash, sizeof hash), token->image_hash);
    return true;
}

static bool read_sealed(struct assay_call *call, struct assay_json json, struct token *token)
{
    struct assay_json sealed = assay_json_member(json, "encrypted_nuc_token");

    if (!assay_json_text(call, sealed, &token->sealed_text) || !assay_json_base64(call, sealed, &token->sealed)
        || token->sealed.size != SEALED_SIZE)
        return malformed(call, "encrypted_nuc_token as Base64 of 60 bytes");
    return true;
}

/* The elements of a list of integers, of which `numbers` takes the first three. False: it is none. */
static bool read_numbers(struct assay_json list, int64_t numbers[PAIRS], size_t *count)
{
    struct assay_json_place place = {0};
    struct assay_json element;
    int64_t number;

    *count = 0;
    while (assay_json_next_element(list, &place, &element)) {
        if (!assay_json_integer(element, &number))
            return false;
        if (*count < PAIRS)
            numbers[*count] = number;
        ++*count;
    }
    return list.kind == ASSAY_JSON_ARRAY;
}

static bool in_range(const int64_t numbers[PAIRS], int64_t end)
{
    for (size_t i = 0; i < PAIRS; i++)
        if (numbers[i] < 0 || numbers[i] >= end)
            return false;
    return true;
}

static bool read_pairs(struct assay_call *call, struct assay_json json, struct token *token)
{
    int64_t *t = token->tables;
    size_t tables, indices;
    bool distinct;

    if (!read_numbers(assay_json_member(json, "table_references"), t, &tables)
        || !read_numbers(assay_json_member(json, "key_indices"), token->indices, &indices))
        return malformed(call, "table_references and key_indices as lists of integers");
    distinct = tables == PAIRS && t[0] != t[1] && t[0] != t[2] && t[1] != t[2];
    return assay_require(call, "tables", distinct && in_range(t, TABLE_COUNT), "table_references_invalid",
               "expected table_references as three different tables from 0 to %d", TABLE_COUNT - 1)
        && assay_require(call, "key_indices", indices == PAIRS && in_range(token->indices, KEY_COUNT), "key_indices_invalid",
            "expected key_indices as three indices from 0 to %d", KEY_COUNT - 1);
}

static bool read_signature(struct assay_call *call, struct assay_json json, struct token *token)
{
    struct assay_bytes bytes;

    if (!assay_json_base64(call, assay_json_member(json, "device_signature"), &bytes))
        return malformed(call, "device_signature as Base64");
    return assay_require(call, "signature_form", signature_read(bytes, &token->signature), "signature_malformed",
        "expected device_signature as 64 bytes or strict DER, r and s from 1 to the order less 1; its %zu bytes are neither",
        bytes.size);
}

static bool read_timestamp(struct assay_call *call, struct assay_json json, struct token *token)
{
    /* 9999-12-31T23:59:59Z: a later one would overflow in milliseconds sooner or later. */
    const int64_t most = 253402300799;

    if (!assay_json_integer(assay_json_member(json, "timestamp"), &token->timestamp) || token->timestamp < 0
        || token->timestamp > most)
        return malformed(call, "timestamp as seconds since 1970, a whole number");
    return true;
}

bool token_read(struct assay_call *call, struct assay_bytes body, struct token *token)
{
    struct assay_json json;

    memset(token, 0, sizeof *token);
    return read_document(call, body, &json) && read_hash(call, json, token) && read_sealed(call, json, token)
        && read_timestamp(call, json, token) && read_pairs(call, json, token) && read_signature(call, json, token)
        && assay_require(call, "form", true, "malformed", "never shown");
}

struct assay_bytes token_signed_bytes(struct assay_call *call, const struct token *token)
{
    /* Five lines: 64 digits, 80 characters of Base64, three numbers of four and of three digits, one of twelve. */
    const size_t capacity = 256;
    char *text = assay_allocate(call, capacity);
    const long long t[] = {token->tables[0], token->tables[1], token->tables[2]},
        k[] = {token->indices[0], token->indices[1], token->indices[2]};
    int size;

    if (!text)
        return assay_bytes(NULL, 0);
    size = snprintf(text, capacity, "%s\n%.*s\n%lld,%lld,%lld\n%lld,%lld,%lld\n%lld\n", token->image_hash,
        (int)token->sealed_text.size,
        (const char *)token->sealed_text.data, t[0], t[1], t[2], k[0], k[1], k[2], (long long)token->timestamp);
    return assay_bytes(text, (size_t)size);
}
