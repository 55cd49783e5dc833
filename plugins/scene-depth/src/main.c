/* scene-depth: judges whether a depth map shows a scene or a screen. README.md says what it is for. */
#include <assay/plugin.h>

#include <openssl/crypto.h>

#include "appraise.h"
#include "map.h"
#include "settings.h"

static const struct assay_claim_declaration claims[] = {
    {"algorithm_version", ASSAY_CLAIM_TEXT, "the version of the definitions behind the numbers"},
    {"width", ASSAY_CLAIM_INTEGER, "of the map, in pixels"},
    {"height", ASSAY_CLAIM_INTEGER, "of the map, in pixels"},
    {"valid_pixels", ASSAY_CLAIM_INTEGER, "those from 0.1 to 20 m, which alone count below"},
    {"deviation_um", ASSAY_CLAIM_INTEGER, "the standard deviation of the depth, in micrometres"},
    {"layers", ASSAY_CLAIM_INTEGER, "the peaks of the depth's histogram"},
    {"edge_coherence_millionths", ASSAY_CLAIM_INTEGER, "from 0 to 1000000"},
    {"min_um", ASSAY_CLAIM_INTEGER, "the least depth, in micrometres"},
    {"max_um", ASSAY_CLAIM_INTEGER, "the greatest depth, in micrometres"},
    {"mean_um", ASSAY_CLAIM_INTEGER, "the mean depth, in micrometres"},
    {"near_median_millionths", ASSAY_CLAIM_INTEGER, "the share of pixels within 5 cm of the median, from 0 to 1000000"},
    {"quadrant_deviation_um", ASSAY_CLAIM_INTEGER, "the standard deviation of the quadrants' means, in micrometres"},
    {"is_screen_like", ASSAY_CLAIM_BOOLEAN, "whether the depth is that of a flat surface within reach"},
    {"is_likely_real_scene", ASSAY_CLAIM_BOOLEAN, "whether deviation, layers and edges are those of a scene, and not of a screen"},
    {"strict", ASSAY_CLAIM_BOOLEAN, "whether the edge coherence was compared with 0.7 in place of 0.3"},
    {0},
};

static const struct assay_code_declaration codes[] = {
    {"depth_document_missing", ASSAY_RETRY_NEVER, "The payload that the device signed is not the document of the request's signals."},
    {"depth_document_malformed", ASSAY_RETRY_NEVER, "The signed document is not one of version 2, or its depth is malformed."},
    {"depth_map_not_named", ASSAY_RETRY_NEVER, "The signed document does not have the SHA-256 of a depth map."},
    {"depth_map_mismatch", ASSAY_RETRY_NEVER, "The depth map is not the one whose SHA-256 the signed document has."},
    {"depth_geometry_unsupported", ASSAY_RETRY_NEVER, "The declared width or height is more than 10 pixels from 256 or 192."},
    {"depth_map_malformed", ASSAY_RETRY_NEVER, "The depth map is not one gzip member of width x height 32-bit floats."},
    {"depth_screen_like", ASSAY_RETRY_NEW_CHALLENGE, "The depth is that of a flat surface within reach, and the configuration rejects those."},
    {0},
};

static const char *const measures[] = {"lidar", NULL};

static const struct assay_format formats[] = {
    {
        .name = "scene-depth",
        .purposes = ASSAY_FOR(ASSAY_ASSERT) | ASSAY_FOR(ASSAY_REGISTER),
        .size_limit = MAP_SIZE_MOST,
        .freshness = ASSAY_PAYLOAD,
        .measures = measures,
        .claims = claims,
        .codes = codes,
        .appraise = scene_depth_appraise,
    },
    {0},
};

static const struct assay_configuration_key keys[] = {
    {"strict", ASSAY_VALUE_BOOLEAN, false, "whether a scene needs an edge coherence above 0.7 in place of 0.3: false by default"},
    {"reject_screens", ASSAY_VALUE_BOOLEAN, false, "whether a screen-like map rejects the request: false by default"},
    {0},
};

int main(void)
{
    static const struct assay_plugin plugin = {
        .name = "scene-depth",
        .version = "1.0.0",
        .formats = formats,
        .configuration_keys = keys,
        .configuration_size = sizeof(struct settings),
        .read_configuration = settings_read,
    };

    /* No file is read: the sandbox would refuse. */
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    return assay_plugin_run(&plugin);
}
