/* The checks of a depth map, in their order. */
#ifndef SCENE_DEPTH_APPRAISE_H
#define SCENE_DEPTH_APPRAISE_H

#include <assay/plugin.h>

void scene_depth_appraise(struct assay_call *call, const struct assay_evidence *evidence);

#endif
