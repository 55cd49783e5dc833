/* Times as envelopes and configurations have them. */
#ifndef PAYLOAD_ENVELOPE_TIMESTAMP_H
#define PAYLOAD_ENVELOPE_TIMESTAMP_H

#include <assay/bytes.h>

/* Reads RFC 3339 in UTC, such as 2025-01-01T00:00:00.000Z: "T" and "Z" in upper case, a fraction of 1 to 9 digits or none, from
 * which milliseconds are taken. Leap seconds are refused. */
bool timestamp_read(struct assay_bytes text, int64_t *milliseconds);

#endif
