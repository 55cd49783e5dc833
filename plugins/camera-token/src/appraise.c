#include "appraise.h"

#include <openssl/evp.h>

#include "settings.h"
#include "token.h"

static bool check_time(struct assay_call *call, const struct settings *settings, const struct token *token, int64_t now_ms)
{
    int64_t ahead_ms = token->timestamp * 1000 - now_ms;

    return assay_require(call, "timestamp_future", ahead_ms <= settings->ahead_seconds * 1000, "timestamp_in_future",
               "expected a timestamp at most %lld s ahead of the time of the request; it is %lld ms ahead",
               (long long)settings->ahead_seconds, (long long)ahead_ms)
        && assay_require(call, "timestamp_age", -ahead_ms <= settings->age_seconds * 1000, "timestamp_too_old",
            "expected a timestamp at most %lld s old; it is %lld ms old", (long long)settings->age_seconds,
            (long long)-ahead_ms);
}

/* Tries the keys of the three pairs. One of them sealed the secret; the others hide which table the device used. Returns the
 * number of the pair, PAIRS if none opens it, or -1 if the host does not answer. */
static int open_by_pairs(struct assay_call *call, const struct settings *settings, const struct token *token,
    uint8_t secret[SECRET_SIZE])
{
    uint8_t key[KEY_SIZE];
    int pair = 0;
    bool opened = false;

    for (; pair < PAIRS && !opened; pair++) {
        enum assay_found found = assay_derive_key(call, (uint32_t)token->tables[pair], (uint32_t)token->indices[pair], key);
        if (found == ASSAY_NO_ANSWER)
            return -1;
        opened = found == ASSAY_FOUND && sealed_open(token->sealed.data, settings->layout, key, secret);
        assay_wipe(key, sizeof key);
    }
    return opened ? pair - 1 : PAIRS;
}

static bool is_assigned(int64_t table, const struct assay_fleet_device *device)
{
    for (size_t i = 0; i < device->table_count; i++)
        if (device->tables[i] == table)
            return true;
    return false;
}

static bool check_tables(struct assay_call *call, const struct token *token, const struct assay_fleet_device *device)
{
    bool assigned = true;

    for (size_t i = 0; i < PAIRS; i++)
        assigned = assigned && is_assigned(token->tables[i], device);
    return assay_require(call, "table_assignment", assigned, "table_not_assigned",
        "expected tables that are all assigned to the device");
}

/* The device with the secret that is sealed in the token; NULL after a failed check, or without an answer. */
static const struct assay_fleet_device *find_device(struct assay_call *call, const struct settings *settings,
    const struct token *token, int *pair)
{
    const struct assay_fleet_device *device = NULL;
    enum assay_found found = ASSAY_NO_ANSWER;
    uint8_t secret[SECRET_SIZE];

    *pair = open_by_pairs(call, settings, token, secret);
    if (*pair >= 0
        && assay_require(call, "token", *pair < PAIRS, "decryption_failed", "none of the three keys opens encrypted_nuc_token"))
        found = assay_find_fleet_device(call, secret, &device);
    assay_wipe(secret, sizeof secret);
    if (found != ASSAY_NO_ANSWER)
        assay_require(call, "device", found == ASSAY_FOUND, "unknown_device", "no device has the token's secret");
    return device;
}

static bool check_signature(struct assay_call *call, const struct token *token, const struct assay_fleet_device *device,
    struct assay_bytes message)
{
    enum verification verification = signature_verify(&token->signature, device->public_key, message);

    if (verification == VERIFICATION_KEY_UNUSABLE) {
        assay_error(call, "device_key_unusable", "the device's registered key is not a P-256 key");
        return false;
    }
    return assay_require(call, "signature", verification == VERIFICATION_PASSED, "bad_signature",
        "the signature is not over this token by the device's key");
}

static void claim(struct assay_call *call, const struct settings *settings, const struct token *token,
    const struct assay_fleet_device *device, int pair)
{
    assay_claim_integer(call, "timestamp", token->timestamp);
    assay_claim_integer(call, "opened_by", pair);
    assay_claim_text(call, "signature_form", assay_string(token->signature.der ? "der" : "raw"));
    assay_claim_text(call, "device_serial", device->serial);
    if (device->family.size > 0)
        assay_claim_text(call, "device_family", device->family);
    assay_assurance(call, settings->assurance);
}

/* The statement is what was signed: the same content with another signature is the same statement. The label makes a digest of
 * it that is of no use elsewhere: what was signed has the hash of an image. */
static void state(struct assay_call *call, const struct settings *settings, const struct token *token,
    struct assay_bytes message)
{
    static const char label[] = "camera-token.statement";
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    uint8_t digest[32];
    bool made = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) && EVP_DigestUpdate(context, label, sizeof label - 1)
        && EVP_DigestUpdate(context, message.data, message.size) && EVP_DigestFinal_ex(context, digest, NULL);

    EVP_MD_CTX_free(context);
    if (made)
        assay_statement(call, digest, (token->timestamp + settings->age_seconds + 1) * 1000);
    else
        assay_error(call, "libcrypto_failed", "libcrypto cannot make a digest of the statement");
}

void camera_token_appraise(struct assay_call *call, const struct assay_evidence *evidence)
{
    const struct settings *settings = assay_configuration(call);
    const struct assay_fleet_device *device;
    struct assay_bytes message;
    struct token token;
    int pair;

    if (!token_read(call, evidence->body, &token) || !check_time(call, settings, &token, evidence->now_ms))
        return;
    device = find_device(call, settings, &token, &pair);
    if (!device || !check_tables(call, &token, device))
        return;
    message = token_signed_bytes(call, &token);
    if (!check_signature(call, &token, device, message)
        || !assay_require(call, "blocked", !device->blocked, "device_blocked", "the device is blocked"))
        return;
    claim(call, settings, &token, device, pair);
    state(call, settings, &token, message);
}
