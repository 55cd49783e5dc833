#include "signature.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

enum { DER_INTEGER = 0x02, DER_SEQUENCE = 0x30, DER_SIGNATURE_MOST = 72 };

/* SEC 2, 2.4.2: the order of P-256's group. */
static const uint8_t order[NUMBER_SIZE] = {
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
};

static bool in_range(const uint8_t number[NUMBER_SIZE])
{
    static const uint8_t zero[NUMBER_SIZE];

    return memcmp(number, zero, NUMBER_SIZE) != 0 && memcmp(number, order, NUMBER_SIZE) < 0;
}

/* A positive INTEGER in its only encoding: no leading zero but the one that keeps the number positive. */
static bool read_integer(struct assay_bytes *der, uint8_t number[NUMBER_SIZE])
{
    const uint8_t *content = der->data + 2;
    size_t size;

    if (der->size < 3 || der->data[0] != DER_INTEGER)
        return false;
    size = der->data[1];
    if (size == 0 || size > NUMBER_SIZE + 1 || size > der->size - 2 || content[0] >= 0x80)
        return false;
    *der = assay_bytes(content + size, der->size - 2 - size);
    if (content[0] == 0 && size > 1) {
        if (content[1] < 0x80)
            return false;
        content++;
        size--;
    }
    if (size > NUMBER_SIZE)
        return false;
    memset(number, 0, NUMBER_SIZE - size);
    memcpy(number + NUMBER_SIZE - size, content, size);
    return true;
}

/* SEQUENCE { r INTEGER, s INTEGER }. It is so short that lengths have one byte. */
static bool read_der(struct assay_bytes bytes, struct signature *signature)
{
    struct assay_bytes content;

    if (bytes.size < 2 || bytes.size > DER_SIGNATURE_MOST || bytes.data[0] != DER_SEQUENCE || bytes.data[1] != bytes.size - 2)
        return false;
    content = assay_bytes(bytes.data + 2, bytes.size - 2);
    return read_integer(&content, signature->r) && read_integer(&content, signature->s) && content.size == 0;
}

bool signature_read(struct assay_bytes bytes, struct signature *signature)
{
    /* 64 bytes are always the raw form, so that no bytes have two readings. */
    signature->der = bytes.size != 2 * NUMBER_SIZE;
    if (signature->der) {
        if (!read_der(bytes, signature))
            return false;
    } else {
        memcpy(signature->r, bytes.data, NUMBER_SIZE);
        memcpy(signature->s, bytes.data + NUMBER_SIZE, NUMBER_SIZE);
    }
    return in_range(signature->r) && in_range(signature->s);
}

/* libcrypto verifies signatures in DER only. */
static int encode(const struct signature *signature, uint8_t **der)
{
    ECDSA_SIG *pair = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature->r, NUMBER_SIZE, NULL), *s = BN_bin2bn(signature->s, NUMBER_SIZE, NULL);
    int size = 0;

    if (pair && r && s && ECDSA_SIG_set0(pair, r, s))
        size = i2d_ECDSA_SIG(pair, der);
    else {
        BN_free(r);
        BN_free(s);
    }
    ECDSA_SIG_free(pair);
    return size;
}

static EVP_PKEY *read_key(struct assay_bytes der)
{
    const uint8_t *at = der.data;
    EVP_PKEY *key = der.size > 4096 ? NULL : d2i_PUBKEY(NULL, &at, (long)der.size);
    char group[32] = "";

    if (key && at == der.data + der.size && EVP_PKEY_get_group_name(key, group, sizeof group, NULL)
        && strcmp(group, "prime256v1") == 0)
        return key;
    EVP_PKEY_free(key);
    return NULL;
}

static bool verify(EVP_PKEY *key, const uint8_t *signature, int size, struct assay_bytes message)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool verified = context && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) > 0
        && EVP_DigestVerify(context, signature, (size_t)size, message.data, message.size) == 1;

    EVP_MD_CTX_free(context);
    return verified;
}

enum verification signature_verify(const struct signature *signature, struct assay_bytes public_key, struct assay_bytes message)
{
    EVP_PKEY *key = read_key(public_key);
    uint8_t *der = NULL;
    int size = key ? encode(signature, &der) : 0;
    bool verified = size > 0 && verify(key, der, size, message);

    OPENSSL_free(der);
    EVP_PKEY_free(key);
    return !key ? VERIFICATION_KEY_UNUSABLE : verified ? VERIFICATION_PASSED : VERIFICATION_FAILED;
}
