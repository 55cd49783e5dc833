/* ECDSA signatures over P-256 with SHA-256. */
#ifndef CAMERA_TOKEN_SIGNATURE_H
#define CAMERA_TOKEN_SIGNATURE_H

#include <assay/bytes.h>

enum { NUMBER_SIZE = 32 };

struct signature {
    uint8_t r[NUMBER_SIZE], s[NUMBER_SIZE];
    bool der; /* the form in which it came; otherwise r and s of 32 bytes each */
};

/* Reads 64 bytes, or strict DER. False: it is neither, or a number is 0 or not below the order. */
bool signature_read(struct assay_bytes bytes, struct signature *signature);

enum verification {
    VERIFICATION_FAILED,
    VERIFICATION_PASSED,
    VERIFICATION_KEY_UNUSABLE /* not a P-256 key */
};

/* `public_key` is a SubjectPublicKeyInfo in DER. */
enum verification signature_verify(const struct signature *signature, struct assay_bytes public_key,
    struct assay_bytes message);

#endif
