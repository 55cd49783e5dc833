/* The headers that a request MAC covers. */
#ifndef PAYLOAD_ENVELOPE_HEADERS_H
#define PAYLOAD_ENVELOPE_HEADERS_H

#include <assay/plugin.h>

enum { COVERED_HEADERS = 64 };

/* Writes the covered headers, those whose lower-case name begins with "smileid-", as compact JSON: names in lower case, sorted
 * as bytes, each once. False: a name or value is not printable ASCII, a name comes twice, or there are more than
 * COVERED_HEADERS. */
bool headers_write(struct assay_call *call, struct assay_json headers, struct assay_bytes *json);

#endif
