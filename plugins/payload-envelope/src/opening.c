#include "opening.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>

#include "keys.h"

enum { COUNT_SIZE = 20 /* digits of a 64-bit number */ };

static bool libcrypto_failed(struct assay_call *call)
{
    assay_error(call, "libcrypto_failed", "libcrypto cannot make a key or a digest: the plugin may lack memory");
    return false;
}

/* Until when an envelope of this time can come, by the widest window that can be configured. */
static int64_t until(const struct envelope *envelope)
{
    return envelope->timestamp_ms + (int64_t)WINDOW_SECONDS_MOST * 1000;
}

static bool envelope_key(struct assay_call *call, const struct secret *secret, const struct envelope *envelope, int64_t now_ms,
    uint8_t key[KEY_SIZE])
{
    uint8_t salt[TIMESTAMP_SIZE + 1 + REQUEST_ID_SIZE], master[KEY_SIZE];
    size_t size = envelope->timestamp.size;
    bool made;

    memcpy(salt, envelope->timestamp.data, size);
    salt[size++] = ':';
    if (envelope->request_id.size > 0)
        memcpy(salt + size, envelope->request_id.data, envelope->request_id.size);
    size += envelope->request_id.size;
    made = keys_derive(call, secret, assay_bytes(salt, size), now_ms, until(envelope), master) && keys_expand(master, key);
    assay_wipe(master, sizeof master);
    return made || libcrypto_failed(call);
}

/* Decrypts into `out`, which has the ciphertext's size. */
static bool decrypt(const struct envelope *envelope, const uint8_t key[KEY_SIZE], uint8_t *out)
{
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    /* libcrypto sets the tag from a pointer that is not const, and writes nothing there. */
    void *tag = (void *)(uintptr_t)envelope->tag.data;
    int written = 0, rest = 0;
    bool opened = context && EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, envelope->iv.data)
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG_SIZE, tag)
        && EVP_DecryptUpdate(context, out, &written, envelope->ciphertext.data, (int)envelope->ciphertext.size)
        && EVP_DecryptFinal_ex(context, out + written, &rest) > 0;

    EVP_CIPHER_CTX_free(context);
    return opened;
}

/* Salt of the MAC's key: the count of the bytes under the MAC, and the timestamp. */
static bool mac_is_right(struct assay_call *call, const struct envelope *envelope, const struct opened *opened,
    struct assay_bytes covered, int64_t now_ms)
{
    uint8_t key[KEY_SIZE], mac[MAC_SIZE];
    char salt[COUNT_SIZE + TIMESTAMP_SIZE + 1];
    size_t size = covered.size + opened->payload.size;
    uint8_t *message = assay_allocate(call, size);
    int length = snprintf(salt, sizeof salt, "%zu%.*s", size, (int)envelope->timestamp.size,
        (const char *)envelope->timestamp.data);
    bool right;

    if (!message)
        return false;
    memcpy(message, covered.data, covered.size);
    if (opened->payload.size > 0)
        memcpy(message + covered.size, opened->payload.data, opened->payload.size);
    if (!keys_derive(call, opened->secret, assay_bytes(salt, (size_t)length), now_ms, until(envelope), key)
        || !HMAC(EVP_sha256(), key, KEY_SIZE, message, size, mac, NULL)) {
        assay_wipe(key, sizeof key);
        return libcrypto_failed(call);
    }
    right = assay_secret_equal(mac, envelope->mac.data, MAC_SIZE);
    assay_wipe(key, sizeof key);
    assay_wipe(mac, sizeof mac);
    return right;
}

/* Whether this secret opens the envelope. */
static bool opens(struct assay_call *call, const struct secret *secret, const struct envelope *envelope, int64_t now_ms,
    struct opened *opened)
{
    uint8_t key[KEY_SIZE];
    uint8_t *payload = assay_allocate(call, envelope->ciphertext.size + 1);
    bool made = payload && envelope_key(call, secret, envelope, now_ms, key) && decrypt(envelope, key, payload);

    assay_wipe(key, sizeof key);
    if (made) {
        opened->secret = secret;
        opened->payload = assay_bytes(payload, envelope->ciphertext.size);
    }
    return made;
}

bool opening_try(struct assay_call *call, const struct settings *settings, const struct envelope *envelope,
    struct assay_bytes covered,
    int64_t now_ms, struct opened *opened)
{
    size_t tried = 0;

    memset(opened, 0, sizeof *opened);
    for (size_t i = 0; i < settings->secret_count && !opened->secret; i++) {
        const struct secret *secret = &settings->secrets[i];
        if (now_ms < secret->not_before_ms || now_ms > secret->not_after_ms)
            continue;
        tried++;
        opens(call, secret, envelope, now_ms, opened);
    }
    if (tried == 0)
        assay_log(call, ASSAY_WARNING, "none of the %zu secrets is valid now: add one to secrets", settings->secret_count);
    if (!opened->secret)
        return false;
    opened->mac_checked = envelope->mac.size > 0;
    return !opened->mac_checked || mac_is_right(call, envelope, opened, covered, now_ms);
}
