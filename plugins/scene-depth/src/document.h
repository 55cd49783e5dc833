/* The signed document of a capture's signals (docs/reference/capture-documents.md), as far as it concerns the depth map. */
#ifndef SCENE_DEPTH_DOCUMENT_H
#define SCENE_DEPTH_DOCUMENT_H

#include <assay/json.h>

enum {
    DOCUMENT_SIZE = 64 * 1024, /* in bytes, at most */
    DOCUMENT_VERSION = 2,
    DIGEST_SIZE = 32,
    NUMBER_SIZE = 64,    /* of a number's text, in bytes, at most */
    ALGORITHM_SIZE = 64, /* of the version of the app's algorithm, in bytes, at most */
    PROBLEM_SIZE = 160
};

/* A number that the document may leave out. */
struct stated_number {
    bool is_given;
    double value;
};

struct document {
    uint32_t width, height; /* of the map; MAP_WIDTH and MAP_HEIGHT if the document does not say */
    bool has_digest;
    uint8_t digest[DIGEST_SIZE]; /* SHA-256 of the map as it is sent */

    /* What the app computed. */
    struct stated_number variance, layers, edge_coherence, min, max;
    bool has_judgement, is_likely_real_scene;
};

/* Reads the document. False: `problem` says why not, as a part of a sentence. */
bool document_read(struct assay_bytes json, struct document *document, char problem[PROBLEM_SIZE]);

/* Whether the geometry differs from the usual one by at most MAP_TOLERANCE pixels a side. */
bool document_geometry_is_known(const struct document *document);

#endif
