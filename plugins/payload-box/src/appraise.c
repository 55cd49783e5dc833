#include "appraise.h"

#include <sodium.h>

#include "settings.h"

/* The envelope that is judged, and the key that opens it. */
struct own {
    const struct envelope *envelope;
    size_t key;
    uint8_t ciphertext_sha256[DIGEST_SIZE];
};

static const char *hex(const uint8_t *bytes, size_t size, char *out)
{
    assay_hex_encode(assay_bytes(bytes, size), out);
    return out;
}

/* The first envelope for a recipient of this service. */
static bool find_own(struct assay_call *call, const struct settings *settings, const struct envelopes *envelopes, struct own *own)
{
    char text[2 * FINGERPRINT_SIZE + 1];

    for (size_t i = 0; i < envelopes->count; i++)
        for (size_t key = 0; key < settings->recipient_count; key++) {
            if (memcmp(envelopes->list[i].recipient, settings->recipients[key], FINGERPRINT_SIZE) != 0)
                continue;
            own->envelope = &envelopes->list[i];
            own->key = key;
            crypto_hash_sha256(own->ciphertext_sha256, own->envelope->ciphertext.data, own->envelope->ciphertext.size);
            return assay_require(call, "recipient", true, "recipient_unknown", "never shown");
        }
    return assay_require(call, "recipient", false, "recipient_unknown",
        "expected an envelope for one of the %zu recipients of the configuration; the first of the %zu envelopes is for %s",
        settings->recipient_count, envelopes->count, hex(envelopes->list[0].recipient, FINGERPRINT_SIZE, text));
}

/* MARK: What the device signed */

static bool is_bound(struct assay_call *call, const struct own *own, const uint8_t signed_sha256[DIGEST_SIZE], const char *place)
{
    char expected[2 * DIGEST_SIZE + 1], found[2 * DIGEST_SIZE + 1];

    return assay_require(call, "binding", memcmp(own->ciphertext_sha256, signed_sha256, DIGEST_SIZE) == 0,
        "ciphertext_mismatch", "expected the ciphertext with SHA-256 %s, which is %s; the envelope's has %s",
        hex(signed_sha256, DIGEST_SIZE, expected), place, hex(own->ciphertext_sha256, DIGEST_SIZE, found));
}

/* The signed document has the ciphertext's digest as its member ciphertext_sha256. */
static bool is_in_document(struct assay_call *call, const struct own *own, struct assay_bytes document)
{
    uint8_t stated[DIGEST_SIZE];
    struct assay_json json;

    if (!assay_json_parse(document, &json, NULL) || !read_hex(assay_json_member(json, "ciphertext_sha256"), stated, DIGEST_SIZE))
        return assay_require(call, "binding", false, "ciphertext_mismatch",
            "expected ciphertext_sha256 in the signed document of the signals, as 64 lower-case hex digits");
    return is_bound(call, own, stated, "ciphertext_sha256 of the signed document");
}

static bool check_binding(struct assay_call *call, const struct own *own, const struct assay_evidence *evidence)
{
    return evidence->signals.size > 0 ? is_in_document(call, own, evidence->signals)
                                      : is_bound(call, own, evidence->payload_sha256.data, "the payload that the device signed");
}

/* MARK: What is inside */

/* The digest that is found is not told: it would let a caller guess what a short plaintext says. */
static bool check_plaintext(struct assay_call *call, const struct envelope *envelope, const uint8_t sha256[DIGEST_SIZE])
{
    char stated[2 * DIGEST_SIZE + 1];

    if (!envelope->states_plaintext) {
        assay_skip(call, "plaintext", "the envelope states no plaintext_sha256");
        return true;
    }
    return assay_require(call, "plaintext", sodium_memcmp(envelope->plaintext_sha256, sha256, DIGEST_SIZE) == 0,
        "payload_hash_mismatch", "expected the plaintext with SHA-256 %s, which the envelope states as plaintext_sha256; it has another",
        hex(envelope->plaintext_sha256, DIGEST_SIZE, stated));
}

static bool open_own(struct assay_call *call, const struct settings *settings, const struct own *own, uint8_t sha256[DIGEST_SIZE])
{
    size_t size = own->envelope->ciphertext.size - TAG_SIZE;
    bool opened = opening_open(own->envelope, settings->vault->secret_keys[own->key], settings->vault->plaintext);

    crypto_hash_sha256(sha256, settings->vault->plaintext, opened ? size : 0);
    sodium_memzero(settings->vault->plaintext, size);
    return assay_require(call, "cryptography", opened, "decryption_failed",
        "the envelope cannot be opened by its recipient's key: it was sealed for another key, or changed");
}

static bool check_content(struct assay_call *call, const struct settings *settings, const struct own *own, uint8_t sha256[DIGEST_SIZE])
{
    if (!settings->plaintext_sha256_optional && !own->envelope->states_plaintext)
        return assay_require(call, "plaintext", false, "malformed",
            "expected plaintext_sha256 in the envelope, which the configuration requires");
    if (!settings->vault) {
        assay_skip(call, "cryptography", "the plugin has no key: mode structure");
        return true;
    }
    return open_own(call, settings, own, sha256) && check_plaintext(call, own->envelope, sha256);
}

/* MARK: The whole */

/* Once in the life of the process. */
static void warn_of_swap(struct assay_call *call, const struct settings *settings)
{
    static bool said;

    if (said || !settings->vault || settings->locked)
        return;
    said = true;
    assay_log(call, ASSAY_WARNING,
        "keys and plaintext may be swapped out: their %zu bytes cannot be locked in memory; raise the daemon's limit of locked memory to 1 MiB",
        sizeof *settings->vault);
}

static void claim(struct assay_call *call, const struct settings *settings, const struct envelopes *envelopes, const struct own *own,
    const uint8_t sha256[DIGEST_SIZE])
{
    char recipient[2 * FINGERPRINT_SIZE + 1];

    assay_claim_text(call, "recipient", assay_string(hex(own->envelope->recipient, FINGERPRINT_SIZE, recipient)));
    assay_claim_integer(call, "envelopes", (int64_t)envelopes->count);
    assay_claim_bytes(call, "ciphertext_sha256", assay_bytes(own->ciphertext_sha256, DIGEST_SIZE));
    assay_claim_integer(call, "ciphertext_size", (int64_t)own->envelope->ciphertext.size);
    assay_claim_boolean(call, "opened", settings->vault != NULL);
    if (settings->claims_plaintext_sha256)
        assay_claim_bytes(call, "plaintext_sha256", assay_bytes(sha256, DIGEST_SIZE));
}

void payload_box_appraise(struct assay_call *call, const struct assay_evidence *evidence)
{
    const struct settings *settings = assay_configuration(call);
    uint8_t sha256[DIGEST_SIZE] = {0};
    struct envelopes envelopes;
    struct own own;

    warn_of_swap(call, settings);
    if (!envelopes_read(call, evidence->body, &envelopes) || !find_own(call, settings, &envelopes, &own)
        || !check_binding(call, &own, evidence) || !check_content(call, settings, &own, sha256))
        return;
    claim(call, settings, &envelopes, &own, sha256);
    assay_verified_payload(call, evidence->payload_sha256.data);
    sodium_memzero(sha256, sizeof sha256);
}
