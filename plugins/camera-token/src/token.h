/* The body of the evidence: what a camera submits. */
#ifndef CAMERA_TOKEN_TOKEN_H
#define CAMERA_TOKEN_TOKEN_H

#include <assay/plugin.h>

#include "sealed.h"
#include "signature.h"

enum { PAIRS = 3, TABLE_COUNT = 2500, KEY_COUNT = 1000, HASH_SIZE = 32 };

struct token {
    char image_hash[2 * HASH_SIZE + 1];    /* in lower case */
    struct assay_bytes sealed_text;        /* as sent: it is signed */
    struct assay_bytes sealed;             /* SEALED_SIZE bytes */
    int64_t tables[PAIRS], indices[PAIRS]; /* each pair names a key */
    int64_t timestamp;                     /* seconds since 1970 */
    struct signature signature;
};

/* Reads the body, and adds a finding for each check of its form. False: one failed. */
bool token_read(struct assay_call *call, struct assay_bytes body, struct token *token);

/* What the device signed, in the call's memory: image hash, sealed secret, tables, indices and timestamp, a line each. */
struct assay_bytes token_signed_bytes(struct assay_call *call, const struct token *token);

#endif
