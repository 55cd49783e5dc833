/* camera-token: appraises what cameras of a fleet submit with a photograph. README.md says what it is for. */
#include <assay/plugin.h>

#include <openssl/crypto.h>

#include "appraise.h"
#include "settings.h"

static const struct assay_claim_declaration claims[] = {
    {"timestamp", ASSAY_CLAIM_INTEGER, "when the camera says that it made the token, in seconds since 1970"},
    {"opened_by", ASSAY_CLAIM_INTEGER, "which of the three keys opened the token: 0 to 2"},
    {"signature_form", ASSAY_CLAIM_TEXT, "how the signature was encoded: raw or der"},
    {"device_serial", ASSAY_CLAIM_TEXT, "the serial number of the device"},
    {"device_family", ASSAY_CLAIM_TEXT, "the family of the device, if the fleet has one for it"},
    {0},
};

static const struct assay_code_declaration codes[] = {
    {"table_references_invalid", ASSAY_RETRY_NEVER, "The token does not name three different key tables from 0 to 2499."},
    {"key_indices_invalid", ASSAY_RETRY_NEVER, "The token does not name three keys from 0 to 999."},
    {"table_not_assigned", ASSAY_RETRY_CONTACT_OPERATOR, "A key table is not assigned to the device."},
    {0},
};

static const struct assay_format formats[] = {
    {
        .name = "camera-token",
        .purposes = ASSAY_FOR(ASSAY_ASSERT),
        .size_limit = 4096,
        .freshness = ASSAY_STATEMENT,
        .claims = claims,
        .codes = codes,
        .appraise = camera_token_appraise,
    },
    {0},
};

static const struct assay_configuration_key keys[] = {
    {"token_layout", ASSAY_VALUE_TEXT, false, "ciphertext-nonce-tag (default), ciphertext-tag-nonce or nonce-ciphertext-tag"},
    {"max_future_seconds", ASSAY_VALUE_INTEGER, false, "how far ahead a timestamp may be: 0 to 3600, 60 by default"},
    {"max_age_seconds", ASSAY_VALUE_INTEGER, false, "how old a timestamp may be: up to 398 days, 30 days by default"},
    {"assurance", ASSAY_VALUE_TEXT, false,
        "what a token is worth: software (default), hardware or secure_element, by where cameras keep their keys"},
    {0},
};

int main(void)
{
    static const struct assay_plugin plugin = {
        .name = "camera-token",
        .version = "1.0.0",
        .formats = formats,
        .configuration_keys = keys,
        .host_services = ASSAY_DERIVE_KEY | ASSAY_FIND_FLEET_DEVICE,
        .configuration_size = sizeof(struct settings),
        .read_configuration = settings_read,
    };

    /* No file is read: the sandbox would refuse. */
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    return assay_plugin_run(&plugin);
}
