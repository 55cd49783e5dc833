#include "sealed.h"

#include <openssl/evp.h>

struct parts {
    size_t ciphertext, nonce, tag; /* offsets */
};

static const struct parts parts_of[] = {
    [LAYOUT_CIPHERTEXT_NONCE_TAG] = {0, SECRET_SIZE, SECRET_SIZE + NONCE_SIZE},
    [LAYOUT_CIPHERTEXT_TAG_NONCE] = {0, SECRET_SIZE + TAG_SIZE, SECRET_SIZE},
    [LAYOUT_NONCE_CIPHERTEXT_TAG] = {NONCE_SIZE, 0, NONCE_SIZE + SECRET_SIZE},
};

bool sealed_open(const uint8_t sealed[SEALED_SIZE], size_t layout, const uint8_t key[KEY_SIZE], uint8_t secret[SECRET_SIZE])
{
    const struct parts *parts = &parts_of[layout];
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    uint8_t tag[TAG_SIZE];
    int size, rest;
    bool opened;

    memcpy(tag, sealed + parts->tag, TAG_SIZE);
    opened = context && EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, sealed + parts->nonce)
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG_SIZE, tag)
        && EVP_DecryptUpdate(context, secret, &size, sealed + parts->ciphertext, SECRET_SIZE)
        && EVP_DecryptFinal_ex(context, secret + size, &rest) > 0;
    EVP_CIPHER_CTX_free(context);
    if (!opened)
        assay_wipe(secret, SECRET_SIZE);
    return opened;
}
