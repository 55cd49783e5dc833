/* payload-envelope: opens and checks encrypted request envelopes. README.md says what it is for. */
#include <assay/plugin.h>

#include <openssl/crypto.h>

#include "appraise.h"
#include "settings.h"

static const struct assay_claim_declaration claims[] = {
    {"secret_id", ASSAY_CLAIM_TEXT, "the id of the secret that opened the envelope"},
    {"request_id", ASSAY_CLAIM_TEXT, "the request id of the envelope, if it has one"},
    {"sent_at", ASSAY_CLAIM_TIME, "the timestamp of the envelope"},
    {"mac_checked", ASSAY_CLAIM_BOOLEAN, "whether a request MAC came with the envelope; it is right then"},
    {"payload_sha256", ASSAY_CLAIM_BYTES, "SHA-256 of the decrypted payload"},
    {"payload_size", ASSAY_CLAIM_INTEGER, "the size of the decrypted payload in bytes"},
    {"payload", ASSAY_CLAIM_BYTES, "the decrypted payload, if the configuration asks for it and it has at most 4096 bytes"},
    {0},
};

static const struct assay_code_declaration codes[] = {
    {"unsupported_version", ASSAY_RETRY_NEVER, "The envelope is of another version than 1.0."},
    {"timestamp_out_of_window", ASSAY_RETRY_NEW_CHALLENGE,
        "The envelope was made too long ago or too far ahead: the client makes another."},
    {"request_mac_required", ASSAY_RETRY_CONTACT_OPERATOR, "The operator demands a request MAC, and none was given."},
    {"request_id_required", ASSAY_RETRY_CONTACT_OPERATOR, "The operator demands a request id, and the envelope has none."},
    {"replayed", ASSAY_RETRY_NEVER, "An envelope with this request id and iv was accepted before."},
    {"payload_not_returned", ASSAY_RETRY_NEVER, "The payload is too large for a claim."},
    {0},
};

static const struct assay_format formats[] = {
    {
        .name = "payload-envelope",
        .purposes = ASSAY_FOR(ASSAY_ASSERT),
        .size_limit = 524288,
        .freshness = ASSAY_SINGLE_USE,
        .claims = claims,
        .codes = codes,
        .appraise = payload_envelope_appraise,
    },
    {0},
};

static const struct assay_configuration_key keys[] = {
    {"secrets", ASSAY_VALUE_LIST, false, "the versions of the secret: id, secret, not_before, not_after"},
    {"secrets_file", ASSAY_VALUE_SECRET_FILE, false, "a file with the list of secrets in JSON, instead of secrets"},
    {"window_seconds", ASSAY_VALUE_INTEGER, false,
        "how far a timestamp may be from the time of the request: 1 to 3600, 300 by default"},
    {"require_mac", ASSAY_VALUE_BOOLEAN, false, "whether an envelope without a request MAC is rejected"},
    {"require_request_id", ASSAY_VALUE_BOOLEAN, false, "whether an envelope without a request id is rejected"},
    {"return_payload", ASSAY_VALUE_BOOLEAN, false, "whether the payload becomes a claim"},
    {0},
};

int main(void)
{
    static const struct assay_plugin plugin = {
        .name = "payload-envelope",
        .version = "1.0.0",
        .formats = formats,
        .configuration_keys = keys,
        .host_services = ASSAY_FIND_USED,
        .configuration_size = sizeof(struct settings),
        .read_configuration = settings_read,
    };

    /* No file is read: the sandbox would refuse. */
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    return assay_plugin_run(&plugin);
}
