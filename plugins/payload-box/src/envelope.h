/* The body of the evidence: sealed envelopes, one for each recipient. */
#ifndef PAYLOAD_BOX_ENVELOPE_H
#define PAYLOAD_BOX_ENVELOPE_H

#include <assay/plugin.h>

enum {
    ENVELOPES = 16,
    FINGERPRINT_SIZE = 20, /* the first bytes of SHA-256 of the recipient's public key */
    PUBLIC_KEY_SIZE = 32,
    NONCE_SIZE = 24,
    TAG_SIZE = 16, /* a ciphertext begins with its tag */
    DIGEST_SIZE = 32
};

struct envelope {
    uint8_t recipient[FINGERPRINT_SIZE];
    struct assay_bytes ephemeral_key, nonce, ciphertext;
    bool states_plaintext; /* whether the next member is there */
    uint8_t plaintext_sha256[DIGEST_SIZE];
};

struct envelopes {
    struct envelope list[ENVELOPES];
    size_t count;
};

/* Reads the body, and adds a failed finding if it is not of the form, an algorithm is not known or a nonce has another length. */
bool envelopes_read(struct assay_call *call, struct assay_bytes body, struct envelopes *envelopes);

/* Reads `size` bytes from lower-case hex digits. False: the value is something else. */
bool read_hex(struct assay_json value, uint8_t *out, size_t size);

#endif
