/* The cryptography of an envelope. */
#ifndef PAYLOAD_ENVELOPE_OPENING_H
#define PAYLOAD_ENVELOPE_OPENING_H

#include "envelope.h"
#include "settings.h"

struct opened {
    const struct secret *secret;
    struct assay_bytes payload;
    bool mac_checked;
};

/* Opens the envelope by one of the secrets that are valid at `now_ms`, and checks its request MAC if it has one. `covered` are
 * the headers of that MAC. False: it cannot be opened, or libcrypto failed, which the call then says. */
bool opening_try(struct assay_call *call, const struct settings *settings, const struct envelope *envelope,
    struct assay_bytes covered,
    int64_t now_ms, struct opened *opened);

#endif
