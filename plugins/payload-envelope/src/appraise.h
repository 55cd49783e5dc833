/* The checks of an envelope, in their order. */
#ifndef PAYLOAD_ENVELOPE_APPRAISE_H
#define PAYLOAD_ENVELOPE_APPRAISE_H

#include <assay/plugin.h>

void payload_envelope_appraise(struct assay_call *call, const struct assay_evidence *evidence);

#endif
