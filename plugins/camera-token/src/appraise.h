/* The checks of a camera token, in their order. */
#ifndef CAMERA_TOKEN_APPRAISE_H
#define CAMERA_TOKEN_APPRAISE_H

#include <assay/plugin.h>

void camera_token_appraise(struct assay_call *call, const struct assay_evidence *evidence);

#endif
