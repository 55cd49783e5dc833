/* Appraises an HMAC-SHA-256 over the client data under a key that app and server share. It shows how a plugin is written, and
 * proves nothing about a device. */
#include <assay/plugin.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

struct settings {
    uint8_t key[32];
};

static void read_configuration(void *configuration, const struct assay_setting *root)
{
    struct settings *settings = configuration;
    struct assay_setting key = assay_setting_member(root, "key");
    char text[2 * sizeof settings->key + 1];

    if (!assay_setting_required(&key) || !assay_setting_text(&key, text, sizeof text))
        return;
    if (!assay_hex_decode(assay_string(text), settings->key, sizeof settings->key))
        assay_setting_report(&key, "expected a key of 32 bytes as 64 hex digits, found %zu characters", strlen(text));
    assay_wipe(text, sizeof text);
}

static void appraise(struct assay_call *call, const struct assay_evidence *evidence)
{
    const struct settings *settings = assay_configuration(call);
    struct assay_bytes body = evidence->body, data = evidence->client_data;
    uint8_t mac[32], digest[32];
    bool right;

    if (!assay_require(call, "form", body.size == 32, "malformed", "expected an HMAC of 32 bytes, found %zu", body.size))
        return;
    if (!HMAC(EVP_sha256(), settings->key, sizeof settings->key, data.data, data.size, mac, NULL)
        || !EVP_Digest(data.data, data.size, digest, NULL, EVP_sha256(), NULL)) {
        assay_error(call, "libcrypto_failed", "libcrypto cannot make an HMAC");
        return;
    }
    right = assay_secret_equal(mac, body.data, sizeof mac);
    if (!assay_require(call, "signature", right, "bad_signature", "the HMAC is not over this client data"))
        return;
    /* From here on the evidence is authentic. */
    assay_verified_client_data(call, digest);
    assay_claim_text(call, "algorithm", assay_string("hmac-sha256"));
    assay_assurance(call, ASSAY_ASSURANCE_SOFTWARE);
}

static const struct assay_claim_declaration claims[] = {
    {"algorithm", ASSAY_CLAIM_TEXT, "how the client data was authenticated"},
    {0},
};

static const struct assay_format formats[] = {
    {
        .name = "example.hmac",
        .purposes = ASSAY_FOR(ASSAY_ASSERT),
        .size_limit = 64,
        .freshness = ASSAY_CHALLENGE,
        .claims = claims,
        .appraise = appraise,
    },
    {0},
};

static const struct assay_configuration_key keys[] = {
    {"key", ASSAY_VALUE_SECRET_FILE, true, "the key that app and server share: 64 hex digits"},
    {0},
};

int main(void)
{
    static const struct assay_plugin plugin = {
        .name = "example-hmac",
        .version = "1.0.0",
        .formats = formats,
        .configuration_keys = keys,
        .configuration_size = sizeof(struct settings),
        .read_configuration = read_configuration,
    };

    /* No file is read: the sandbox would refuse. */
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    return assay_plugin_run(&plugin);
}
