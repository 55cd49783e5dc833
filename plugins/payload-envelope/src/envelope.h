/* The body of the evidence: an encrypted request envelope, and what its request was sent with. */
#ifndef PAYLOAD_ENVELOPE_ENVELOPE_H
#define PAYLOAD_ENVELOPE_ENVELOPE_H

#include <assay/plugin.h>

enum { IV_SIZE = 12, TAG_SIZE = 16, MAC_SIZE = 32, REQUEST_ID_SIZE = 128, TIMESTAMP_SIZE = 40 };

struct envelope {
    struct assay_bytes iv, tag, ciphertext;
    struct assay_bytes timestamp; /* as sent: it is part of the salts */
    int64_t timestamp_ms;
    struct assay_bytes request_id; /* empty: there is none */
    struct assay_json headers;     /* absent, or an object of strings */
    struct assay_bytes mac;        /* with headers */
};

/* Reads the body, and adds a failed finding if it is not of the form, version and algorithm. */
bool envelope_read(struct assay_call *call, struct assay_bytes body, struct envelope *envelope);

#endif
