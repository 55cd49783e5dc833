/* Judges changed bodies within one process, by the function that serves the daemon's calls: nothing may crash, and a body is accepted
 * only if its envelope is the one that was sealed. Built with a sanitizer (make test-sanitized).
 *
 *     mutants COUNT [SEED]
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "declaration.h"
#include "handlers.h"
#include "settings.h"

enum { BODY_LIMIT = 4096, FRAGMENTS = 24 };

static const char plaintext[] = "Hello, World!";
static const char key_file[] = "2222222222222222222222222222222222222222222222222222222222222222";

/* What a mutation puts into a body: what readers of JSON, Base64 and lengths stumble over. */
static const char *const fragments[FRAGMENTS] = {"", "\"", "\\", "{", "}", "[", "]", ",", ":", "null", "true", "0", "-1", "1e999", "\\u0000",
    "\\ud800", "\xff", "=", "A", "\"nonce\":\"\",", "\"envelopes\":[", "\"plaintext_sha256\":\"", "\xe2\x80\xae", " "};

static uint64_t state;

static uint64_t chance(uint64_t bound)
{
    /* xorshift64*: the same on every machine for a seed. */
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (state * 0x2545f4914f6cdd1du >> 11) % bound;
}

/* MARK: The body */

static size_t append_base64(char *out, const uint8_t *bytes, size_t size)
{
    sodium_bin2base64(out, sodium_base64_encoded_len(size, sodium_base64_VARIANT_ORIGINAL), bytes, size, sodium_base64_VARIANT_ORIGINAL);
    return strlen(out);
}

static size_t append_text(char *out, const char *text)
{
    memcpy(out, text, strlen(text) + 1);
    return strlen(text);
}

/* A body with the sealed plaintext, and the ciphertext's digest, which the device signed. */
static size_t write_body(char *out, uint8_t ciphertext_sha256[DIGEST_SIZE])
{
    uint8_t ephemeral_secret[32], secret_key[32], sender[32], recipient[32], fingerprint[FINGERPRINT_SIZE], nonce[NONCE_SIZE];
    uint8_t ciphertext[sizeof plaintext - 1 + TAG_SIZE], digest[DIGEST_SIZE];
    char text[2 * DIGEST_SIZE + 1];
    size_t at = 0;

    memset(ephemeral_secret, 0x11, sizeof ephemeral_secret);
    memset(secret_key, 0x22, sizeof secret_key);
    for (uint8_t i = 0; i < NONCE_SIZE; i++)
        nonce[i] = i;
    crypto_scalarmult_base(sender, ephemeral_secret);
    crypto_scalarmult_base(recipient, secret_key);
    if (crypto_box_easy(ciphertext, (const uint8_t *)plaintext, sizeof plaintext - 1, nonce, recipient, ephemeral_secret) != 0)
        abort();
    crypto_hash_sha256(ciphertext_sha256, ciphertext, sizeof ciphertext);
    crypto_hash_sha256(digest, (const uint8_t *)plaintext, sizeof plaintext - 1);
    opening_fingerprint(recipient, fingerprint);

    at += append_text(out + at, "{\"envelopes\":[{\"algorithm\":\"X25519-XSalsa20-Poly1305\",\"recipient\":\"");
    assay_hex_encode(assay_bytes(fingerprint, sizeof fingerprint), text);
    at += append_text(out + at, text);
    at += append_text(out + at, "\",\"ephemeral_public_key\":\"");
    at += append_base64(out + at, sender, sizeof sender);
    at += append_text(out + at, "\",\"nonce\":\"");
    at += append_base64(out + at, nonce, sizeof nonce);
    at += append_text(out + at, "\",\"ciphertext\":\"");
    at += append_base64(out + at, ciphertext, sizeof ciphertext);
    at += append_text(out + at, "\",\"plaintext_sha256\":\"");
    assay_hex_encode(assay_bytes(digest, sizeof digest), text);
    at += append_text(out + at, text);
    return at + append_text(out + at, "\"}]}");
}

/* Replaces a part of the body, mostly a short one, by a fragment or random bytes. */
static size_t mutate(uint8_t *body, size_t size)
{
    size_t at = chance(size + 1), removed = chance(8) == 0 ? chance(size - at + 1) : chance(4);
    const char *fragment = fragments[chance(FRAGMENTS)];
    uint8_t bytes[2] = {(uint8_t)chance(256), (uint8_t)chance(256)};
    const void *added = fragment;
    size_t count = strlen(fragment);

    if (chance(3) == 0) {
        added = bytes;
        count = 1 + chance(2);
    }
    removed = removed > size - at ? size - at : removed;
    if (size - removed + count > BODY_LIMIT)
        return size;
    memmove(body + at + count, body + at + removed, size - at - removed);
    memcpy(body + at, added, count);
    return size - removed + count;
}

/* MARK: Calls */

static void configure(struct session *session)
{
    char json[256];
    struct assay_call call = {.session = session, .arena = &session->arena};
    MESSAGE(ConfigureRequest) request = ASSAY__PLUGIN__V1__CONFIGURE_REQUEST__INIT;

    snprintf(json, sizeof json, "{\"mode\":\"open\",\"keys_file\":\"%s\"}", key_file);
    request.protocol_version = ASSAY_PLUGIN_PROTOCOL;
    request.configuration = binary_text(json);
    if (!serve_configure(&call, &request) || !session->configuration)
        abort();
    arena_reset(&session->arena);
}

/* Whether the body is accepted. Aborts if an answer is not of the protocol's form, or a sentence has the plaintext. */
static bool is_accepted(struct session *session, struct assay_bytes body, const uint8_t payload_sha256[DIGEST_SIZE])
{
    struct assay_call call = {.session = session, .arena = &session->arena};
    MESSAGE(Expectation) expected = ASSAY__PLUGIN__V1__EXPECTATION__INIT;
    MESSAGE(AppraiseRequest) request = ASSAY__PLUGIN__V1__APPRAISE_REQUEST__INIT;
    const MESSAGE(AppraiseResponse) *response;
    size_t failed = 0;

    expected.payload_sha256 = binary_of(assay_bytes(payload_sha256, DIGEST_SIZE));
    request.expected = &expected;
    request.format = binary_text("payload-box");
    request.app = binary_text("app");
    request.purpose = ASSAY__PLUGIN__V1__PURPOSE__PURPOSE_ASSERT;
    request.body = binary_of(body);
    response = (const MESSAGE(AppraiseResponse) *)serve_appraise(&call, &request);
    if (!response || call.faulty || session->arena.exhausted || response->n_findings == 0)
        abort();
    for (size_t i = 0; i < response->n_findings; i++) {
        failed += response->findings[i]->outcome == ASSAY__PLUGIN__V1__OUTCOME__OUTCOME_FAIL;
        if (strstr(response->findings[i]->detail, plaintext))
            abort();
    }
    if (failed == 0 && response->verified_payload_sha256.len != DIGEST_SIZE)
        abort();
    arena_reset(&session->arena);
    return failed == 0;
}

/* Whether the body has nothing but the sealed envelope: the same values, with spaces between them or escapes in strings. */
static bool says_the_same(struct assay_bytes body, struct assay_bytes sealed)
{
    static const char *const names[] = {"algorithm", "recipient", "ephemeral_public_key", "nonce", "ciphertext", "plaintext_sha256", NULL};
    struct assay_json documents[2], envelopes[2];

    for (size_t i = 0; i < 2; i++) {
        struct assay_json_place place = {0};
        if (!assay_json_parse(i == 0 ? body : sealed, &documents[i], NULL)
            || !assay_json_next_element(assay_json_member(documents[i], "envelopes"), &place, &envelopes[i]))
            return false;
    }
    for (const char *const *name = names; *name; name++) {
        char texts[2][256];
        size_t sizes[2];
        for (size_t i = 0; i < 2; i++)
            if (!assay_json_string(assay_json_member(envelopes[i], *name), texts[i], sizeof texts[i], &sizes[i]))
                return false;
        if (sizes[0] != sizes[1] || memcmp(texts[0], texts[1], sizes[0]) != 0)
            return false;
    }
    return true;
}

int main(int count, char **arguments)
{
    static struct session session = {.plugin = &payload_box};
    uint64_t wanted = count > 1 ? strtoull(arguments[1], NULL, 10) : 100000, accepted = 0;
    uint8_t signed_sha256[DIGEST_SIZE], zero[DIGEST_SIZE] = {0}, body[BODY_LIMIT];
    char sealed[BODY_LIMIT];
    size_t size;

    state = count > 2 ? strtoull(arguments[2], NULL, 10) : 20250101;
    if (state == 0 || wanted == 0 || sodium_init() < 0 || !arena_open(&session.arena, ASSAY_CALL_MEMORY))
        return 64;
    configure(&session);
    size = write_body(sealed, signed_sha256);
    if (!is_accepted(&session, assay_bytes(sealed, size), signed_sha256) || is_accepted(&session, assay_bytes(sealed, size), zero))
        abort();
    for (uint64_t i = 0; i < wanted; i++) {
        size_t changed = size;
        memcpy(body, sealed, size);
        for (uint64_t changes = 1 + chance(3); changes > 0; changes--)
            changed = mutate(body, changed);
        if (!is_accepted(&session, assay_bytes(body, changed), signed_sha256))
            continue;
        accepted++;
        if (!says_the_same(assay_bytes(body, changed), assay_bytes(sealed, size))) {
            fprintf(stderr, "mutants: accepted: %.*s\n", (int)changed, (const char *)body);
            return 1;
        }
    }
    settings_release(session.configuration);
    free(session.configuration);
    arena_close(&session.arena);
    printf("mutants: %llu bodies, %llu accepted, which say the same as the sealed one\n", (unsigned long long)wanted, (unsigned long long)accepted);
    return 0;
}
