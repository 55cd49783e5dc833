#include "keys.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

struct entry {
    uint8_t name[KEY_SIZE]; /* a digest of the secret's id and the salt */
    uint8_t key[KEY_SIZE];
    int64_t until_ms;       /* 0: the entry is free */
    uint64_t used_at;       /* counts uses of the cache */
};

/* A plugin has one thread and one configuration. The memory ends with the process. */
static struct entry cache[KEY_CACHE];
static uint64_t uses;

static bool name_of(const struct secret *secret, struct assay_bytes salt, uint8_t name[KEY_SIZE])
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    /* The NUL parts id and salt: an id has none. */
    bool made = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL)
        && EVP_DigestUpdate(context, secret->id, strlen(secret->id) + 1)
        && EVP_DigestUpdate(context, salt.data, salt.size) && EVP_DigestFinal_ex(context, name, NULL);

    EVP_MD_CTX_free(context);
    return made;
}

static struct entry *find(const uint8_t name[KEY_SIZE])
{
    for (size_t i = 0; i < KEY_CACHE; i++)
        if (cache[i].until_ms != 0 && memcmp(cache[i].name, name, KEY_SIZE) == 0)
            return &cache[i];
    return NULL;
}

/* Overwrites keys that can no longer be asked for, and returns a free entry or else the one that was not used for the
 * longest. */
static struct entry *make_free(int64_t now_ms)
{
    struct entry *oldest = &cache[0];

    for (size_t i = 0; i < KEY_CACHE; i++) {
        if (cache[i].until_ms != 0 && cache[i].until_ms < now_ms)
            assay_wipe(&cache[i], sizeof cache[i]);
        if (cache[i].used_at < oldest->used_at)
            oldest = &cache[i];
    }
    return oldest;
}

static void keep(const uint8_t name[KEY_SIZE], const uint8_t key[KEY_SIZE], int64_t now_ms, int64_t until_ms)
{
    struct entry *entry = make_free(now_ms);

    memcpy(entry->name, name, KEY_SIZE);
    memcpy(entry->key, key, KEY_SIZE);
    entry->until_ms = until_ms;
    entry->used_at = ++uses;
}

bool keys_derive(struct assay_call *call, const struct secret *secret, struct assay_bytes salt, int64_t now_ms,
    int64_t until_ms, uint8_t key[KEY_SIZE])
{
    uint8_t name[KEY_SIZE];
    struct entry *entry;

    if (!name_of(secret, salt, name))
        return false;
    entry = find(name);
    if (entry) {
        memcpy(key, entry->key, KEY_SIZE);
        entry->used_at = ++uses;
        return true;
    }
    assay_flush(call);
    if (!PKCS5_PBKDF2_HMAC(secret->text, (int)strlen(secret->text), salt.data, (int)salt.size, KEY_ROUNDS, EVP_sha256(),
        KEY_SIZE, key))
        return false;
    keep(name, key, now_ms, until_ms);
    assay_count(call, "derivations", 1);
    return true;
}

bool keys_expand(const uint8_t master[KEY_SIZE], uint8_t key[KEY_SIZE])
{
    /* One block of output: T(1) = HMAC(master, info ‖ 0x01). */
    static const uint8_t info[] = "SmileID-Encryption-v1\x01";

    return HMAC(EVP_sha256(), master, KEY_SIZE, info, sizeof info - 1, key, NULL) != NULL;
}
