#include "declaration.h"

#include "appraise.h"
#include "settings.h"

static const struct assay_claim_declaration claims[] = {
    {"recipient", ASSAY_CLAIM_TEXT, "the fingerprint of the recipient whose envelope was judged"},
    {"envelopes", ASSAY_CLAIM_INTEGER, "how many envelopes the evidence has"},
    {"ciphertext_sha256", ASSAY_CLAIM_BYTES, "SHA-256 of that envelope's ciphertext, which the device signed"},
    {"ciphertext_size", ASSAY_CLAIM_INTEGER, "its size in bytes, the tag of 16 bytes included"},
    {"opened", ASSAY_CLAIM_BOOLEAN, "whether it was opened: false in mode structure"},
    {"plaintext_sha256", ASSAY_CLAIM_BYTES, "SHA-256 of the plaintext, if the configuration asks for it"},
    {0},
};

static const struct assay_code_declaration codes[] = {
    {"nonce_invalid_length", ASSAY_RETRY_NEVER, "The nonce of an envelope has not 24 bytes."},
    {"recipient_unknown", ASSAY_RETRY_CONTACT_OPERATOR, "No envelope is for a recipient of this service."},
    {"ciphertext_mismatch", ASSAY_RETRY_NEVER, "The device signed another ciphertext than the envelope has."},
    {"payload_hash_mismatch", ASSAY_RETRY_NEVER, "The plaintext is not the one whose digest the envelope states."},
    {0},
};

static const struct assay_format formats[] = {
    {
        .name = "payload-box",
        .purposes = ASSAY_FOR(ASSAY_REGISTER) | ASSAY_FOR(ASSAY_ASSERT),
        .size_limit = BODY_SIZE,
        .freshness = ASSAY_PAYLOAD,
        .claims = claims,
        .codes = codes,
        .appraise = payload_box_appraise,
    },
    {0},
};

static const struct assay_configuration_key keys[] = {
    {"mode", ASSAY_VALUE_TEXT, true, "structure: envelopes are judged by their form; open: they are opened too"},
    {"recipients", ASSAY_VALUE_LIST, false, "mode structure: the fingerprints of the recipients, 1 to 8"},
    {"keys_file", ASSAY_VALUE_SECRET_FILE, false, "mode open: a file with 1 to 8 X25519 secret keys, a line of 64 hex digits each"},
    {"plaintext_sha256", ASSAY_VALUE_TEXT, false,
        "required or optional: whether envelopes state the digest of their plaintext, by which others can guess a short one"},
    {"claim_plaintext_sha256", ASSAY_VALUE_BOOLEAN, false,
        "mode open: whether verdicts have the digest of the plaintext, by which their readers can guess a short one"},
    {0},
};

const struct assay_plugin payload_box = {
    .name = "payload-box",
    .version = "1.0.0",
    .formats = formats,
    .configuration_keys = keys,
    .configuration_size = sizeof(struct settings),
    .read_configuration = settings_read,
    .release_configuration = settings_release,
};
