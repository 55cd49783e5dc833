#include "appraise.h"

#include <math.h>
#include <openssl/evp.h>
#include <stdio.h>

#include "differences.h"
#include "document.h"
#include "map.h"
#include "settings.h"
#include "statistics.h"

enum { SENTENCE_SIZE = 512 };

static bool digest(struct assay_call *call, struct assay_bytes bytes, uint8_t out[DIGEST_SIZE])
{
    if (EVP_Digest(bytes.data, bytes.size, out, NULL, EVP_sha256(), NULL) > 0)
        return true;
    assay_error(call, "libcrypto_failed", "libcrypto cannot make a digest of %zu bytes", bytes.size);
    return false;
}

/* The document that the device signed: `sha256` is the payload's. */
static bool read_document(struct assay_call *call, const struct assay_evidence *evidence, struct document *document,
    uint8_t sha256[DIGEST_SIZE])
{
    char problem[PROBLEM_SIZE] = "";
    bool is_signed;

    if (!digest(call, evidence->signals, sha256))
        return false;
    is_signed = evidence->signals.size > 0 && assay_bytes_equal(evidence->payload_sha256, assay_bytes(sha256, DIGEST_SIZE));
    if (!assay_require(call, "document", is_signed, "depth_document_missing",
            "expected signals whose SHA-256 is the payload that the device signed; the request has %s",
            evidence->signals.size > 0 ? "others" : "none"))
        return false;
    return assay_require(call, "document_form", document_read(evidence->signals, document, problem), "depth_document_malformed",
        "the signed document cannot be used: %s", problem);
}

static bool check_map(struct assay_call *call, struct assay_bytes body, const struct document *document)
{
    char expected[2 * DIGEST_SIZE + 1], found[2 * DIGEST_SIZE + 1];
    uint8_t sha256[DIGEST_SIZE];

    if (!assay_require(call, "map_named", document->has_digest, "depth_map_not_named",
            "expected depth.map_sha256 in the signed document; it has none"))
        return false;
    if (!digest(call, body, sha256))
        return false;
    assay_hex_encode(assay_bytes(document->digest, DIGEST_SIZE), expected);
    assay_hex_encode(assay_bytes(sha256, DIGEST_SIZE), found);
    return assay_require(call, "map_digest", memcmp(document->digest, sha256, DIGEST_SIZE) == 0, "depth_map_mismatch",
               "expected a map with the SHA-256 %s, found %s", expected, found)
        && assay_require(call, "geometry", document_geometry_is_known(document), "depth_geometry_unsupported",
            "expected a width of %d and a height of %d, each within %d pixels; the document declares %u x %u", MAP_WIDTH, MAP_HEIGHT,
            MAP_TOLERANCE, document->width, document->height);
}

static void write_problem(enum map_error error, struct assay_bytes body, size_t size, const struct document *document,
    char sentence[SENTENCE_SIZE])
{
    size_t wanted = map_capacity(document->width, document->height) - 1;

    switch (error) {
    case MAP_NOT_GZIP: snprintf(sentence, SENTENCE_SIZE, "the %zu bytes are not a gzip member", body.size); break;
    case MAP_CUT: snprintf(sentence, SENTENCE_SIZE, "the gzip member is cut: its %zu bytes end before it does", body.size); break;
    case MAP_TOO_LONG:
        snprintf(sentence, SENTENCE_SIZE, "expected %zu bytes for %u x %u pixels, more come out", wanted, document->width,
            document->height);
        break;
    case MAP_TOO_SHORT:
        snprintf(sentence, SENTENCE_SIZE, "expected %zu bytes for %u x %u pixels, %zu come out", wanted, document->width,
            document->height, size);
        break;
    case MAP_FOLLOWED: snprintf(sentence, SENTENCE_SIZE, "expected one gzip member, more bytes follow its end"); break;
    case MAP_GOOD:
    case MAP_OUT_OF_MEMORY: sentence[0] = '\0';
    }
}

static bool read_map(struct assay_call *call, struct assay_bytes body, const struct document *document, struct map *map)
{
    void *memory = assay_allocate(call, map_capacity(document->width, document->height));
    char sentence[SENTENCE_SIZE];
    enum map_error error;
    size_t size;

    if (!memory)
        return false;
    error = map_inflate(body, document->width, document->height, memory, &size, map);
    if (error == MAP_OUT_OF_MEMORY) {
        assay_error(call, "zlib_failed", "zlib has no memory");
        return false;
    }
    write_problem(error, body, size, document, sentence);
    return assay_require(call, "map", error == MAP_GOOD, "depth_map_malformed", "%s", sentence);
}

static void claim(struct assay_call *call, const struct document *document, const struct statistics *statistics,
    struct judgement judgement, bool strict)
{
    assay_claim_text(call, "algorithm_version", assay_string(ALGORITHM_VERSION));
    assay_claim_integer(call, "width", document->width);
    assay_claim_integer(call, "height", document->height);
    assay_claim_integer(call, "valid_pixels", statistics->valid);
    if (statistics->valid == 0)
        return;
    assay_claim_integer(call, "deviation_um", llround(statistics->deviation * 1e6));
    assay_claim_integer(call, "layers", statistics->layers);
    assay_claim_integer(call, "edge_coherence_millionths", llround(statistics->coherence * 1e6));
    assay_claim_integer(call, "min_um", llround(statistics->min * 1e6));
    assay_claim_integer(call, "max_um", llround(statistics->max * 1e6));
    assay_claim_integer(call, "mean_um", llround(statistics->mean * 1e6));
    assay_claim_integer(call, "near_median_millionths", llround(statistics->median_share * 1e6));
    assay_claim_integer(call, "quadrant_deviation_um", llround(statistics->quadrant_deviation * 1e6));
    assay_claim_boolean(call, "is_screen_like", judgement.is_screen_like);
    assay_claim_boolean(call, "is_likely_real_scene", judgement.is_likely_real_scene);
    assay_claim_boolean(call, "strict", strict);
}

static void measure(struct assay_call *call, const struct statistics *statistics, struct judgement judgement, bool strict)
{
    if (statistics->valid == 0) {
        assay_measured(call, "lidar", ASSAY_UNAVAILABLE, "no pixel of the map is from %.1f to %.0f m", DEPTH_LEAST, DEPTH_MOST);
        return;
    }
    assay_measured(call, "lidar", judgement.is_likely_real_scene ? ASSAY_PASS : ASSAY_FAIL,
        "%s: deviation %.4f m (%s %.1f), %u layers (%s %d), edge coherence %.4f (%s %.1f), %s (range %.4f m, %.1f %% within 5 cm of the "
        "median, mean %.4f m)",
        judgement.is_likely_real_scene ? "likely a real scene" : "not likely a real scene", statistics->deviation,
        judgement.deviates ? "above" : "not above", DEVIATION_ABOVE, statistics->layers, judgement.is_layered ? "at least" : "below",
        LAYERS_LEAST, statistics->coherence, judgement.has_edges ? "above" : "not above",
        strict ? COHERENCE_ABOVE_STRICT : COHERENCE_ABOVE, judgement.is_screen_like ? "screen-like" : "not screen-like",
        statistics->max - statistics->min, statistics->median_share * 100, statistics->mean);
}

static void note(struct assay_call *call, const struct statistics *statistics, const struct document *document)
{
    char differences[DIFFERENCES_SIZE];

    if (statistics->valid == 0) {
        assay_note(call, "pixels", "depth_no_valid_pixel", "no pixel of the map is from %.1f to %.0f m", DEPTH_LEAST, DEPTH_MOST);
        return;
    }
    if (statistics->quadrant_deviation <= QUADRANTS_ALIKE)
        assay_note(call, "quadrants", "depth_quadrants_alike", "the quadrants' means deviate by %.4f m, at most %.1f m",
            statistics->quadrant_deviation, QUADRANTS_ALIKE);
    if (differences_write(document, statistics, differences))
        assay_note(call, "numbers", "depth_numbers_differ", "the signed document has other numbers than its map: %s", differences);
}

static bool judge_screen(struct assay_call *call, const struct statistics *statistics, struct judgement judgement, bool reject_screens)
{
    static const char sentence[] = "the depth is that of a flat surface within reach: range %.4f m, %.1f %% of the pixels within 5 cm of the "
                                   "median, mean %.4f m";

    if (statistics->valid == 0) {
        assay_skip(call, "screen", "no pixel of the map has a depth");
        return true;
    }
    if (judgement.is_screen_like && !reject_screens) {
        assay_note(call, "screen", "depth_screen_like", sentence, statistics->max - statistics->min, statistics->median_share * 100,
            statistics->mean);
        return true;
    }
    return assay_require(call, "screen", !judgement.is_screen_like, "depth_screen_like", sentence, statistics->max - statistics->min,
        statistics->median_share * 100, statistics->mean);
}

void scene_depth_appraise(struct assay_call *call, const struct assay_evidence *evidence)
{
    const struct settings *settings = assay_configuration(call);
    uint8_t payload_sha256[DIGEST_SIZE];
    struct statistics statistics;
    struct judgement judgement;
    struct document document;
    struct map map;

    if (!read_document(call, evidence, &document, payload_sha256) || !check_map(call, evidence->body, &document)
        || !read_map(call, evidence->body, &document, &map))
        return;
    statistics_of(&map, &statistics);
    judgement = judgement_of(&statistics, settings->strict);
    if (!judge_screen(call, &statistics, judgement, settings->reject_screens))
        return;
    note(call, &statistics, &document);
    claim(call, &document, &statistics, judgement, settings->strict);
    measure(call, &statistics, judgement, settings->strict);
    assay_verified_payload(call, payload_sha256);
}
