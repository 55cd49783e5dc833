/* The checks of sealed envelopes, in their order. */
#ifndef PAYLOAD_BOX_APPRAISE_H
#define PAYLOAD_BOX_APPRAISE_H

#include <assay/plugin.h>

void payload_box_appraise(struct assay_call *call, const struct assay_evidence *evidence);

#endif
