#include "opening.h"

#include <sodium.h>

_Static_assert(PUBLIC_KEY_SIZE == crypto_box_PUBLICKEYBYTES && SECRET_KEY_SIZE == crypto_box_SECRETKEYBYTES, "keys");
_Static_assert(NONCE_SIZE == crypto_box_NONCEBYTES && TAG_SIZE == crypto_box_MACBYTES, "nonce and tag");
_Static_assert(DIGEST_SIZE == crypto_hash_sha256_BYTES && FINGERPRINT_SIZE <= DIGEST_SIZE, "digests");

/* Public keys by which every secret key makes a shared secret of zeros: the points of order 1, 2, 4 and 8 below 2^255 - 19. */
static const uint8_t small_order[][PUBLIC_KEY_SIZE] = {
    {0},
    {1},
    {0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32,
        0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00},
    {0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83, 0xef, 0x5b, 0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c,
        0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57},
    {0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
};

static bool has_small_order(const uint8_t key[PUBLIC_KEY_SIZE])
{
    bool found = false;

    for (size_t i = 0; i < sizeof small_order / sizeof small_order[0]; i++)
        found |= sodium_memcmp(key, small_order[i], PUBLIC_KEY_SIZE) == 0;
    return found;
}

/* k = HSalsa20(X25519(secret key, ephemeral key), 0^16). Without one that may be used: a random key, which opens nothing. There is
 * one multiplication in any case: implementations of libsodium differ in whether they refuse a point of small order before it. */
static bool shared_key(const struct envelope *envelope, const uint8_t secret_key[SECRET_KEY_SIZE], uint8_t key[crypto_box_BEFORENMBYTES])
{
    static const uint8_t base_point[PUBLIC_KEY_SIZE] = {9};
    bool refused = has_small_order(envelope->ephemeral_key.data);
    bool made = crypto_box_beforenm(key, refused ? base_point : envelope->ephemeral_key.data, secret_key) == 0;

    if (refused || !made)
        randombytes_buf(key, crypto_box_BEFORENMBYTES);
    return !refused && made;
}

bool opening_open(const struct envelope *envelope, const uint8_t secret_key[SECRET_KEY_SIZE], uint8_t *plaintext)
{
    uint8_t key[crypto_box_BEFORENMBYTES];
    bool shared = shared_key(envelope, secret_key, key);
    bool opened = crypto_box_open_easy_afternm(plaintext, envelope->ciphertext.data, envelope->ciphertext.size, envelope->nonce.data, key) == 0;

    sodium_memzero(key, sizeof key);
    return shared && opened;
}

void opening_fingerprint(const uint8_t public_key[PUBLIC_KEY_SIZE], uint8_t fingerprint[FINGERPRINT_SIZE])
{
    uint8_t digest[DIGEST_SIZE];

    crypto_hash_sha256(digest, public_key, PUBLIC_KEY_SIZE);
    memcpy(fingerprint, digest, FINGERPRINT_SIZE);
}
