#include "document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "map.h"

struct reader {
    struct assay_json depth;
    char *problem;
};

static bool wrong(struct reader *reader, const char *name, const char *expected)
{
    snprintf(reader->problem, PROBLEM_SIZE, "expected %s as %s", name, expected);
    return false;
}

/* A JSON number as a double. The text was checked as one, which strtod reads alike in the locale "C", that no plugin leaves. */
static bool read_double(struct assay_json json, double *out)
{
    char text[NUMBER_SIZE + 1];

    if (json.kind != ASSAY_JSON_NUMBER || json.text.size > NUMBER_SIZE)
        return false;
    memcpy(text, json.text.data, json.text.size);
    text[json.text.size] = '\0';
    *out = strtod(text, NULL);
    return isfinite(*out);
}

static bool read_number(struct reader *reader, const char *name, struct stated_number *number)
{
    struct assay_json json = assay_json_member(reader->depth, name);

    if (json.kind == ASSAY_JSON_ABSENT)
        return true;
    number->is_given = true;
    return read_double(json, &number->value) || wrong(reader, name, "a finite number of at most 64 characters");
}

static bool read_side(struct reader *reader, const char *name, uint32_t *side, bool *is_given)
{
    struct assay_json json = assay_json_member(reader->depth, name);
    int64_t pixels;

    *is_given = json.kind != ASSAY_JSON_ABSENT;
    if (!*is_given)
        return true;
    if (!assay_json_integer(json, &pixels) || pixels < 1 || pixels > 65535)
        return wrong(reader, name, "a whole number of pixels from 1 to 65535");
    *side = (uint32_t)pixels;
    return true;
}

static bool read_geometry(struct reader *reader, struct document *document)
{
    bool has_width, has_height;

    document->width = MAP_WIDTH;
    document->height = MAP_HEIGHT;
    if (!read_side(reader, "width", &document->width, &has_width) || !read_side(reader, "height", &document->height, &has_height))
        return false;
    return has_width == has_height || wrong(reader, "width and height", "both or neither");
}

static bool read_digest(struct reader *reader, struct document *document)
{
    struct assay_json json = assay_json_member(reader->depth, "map_sha256");
    char text[2 * DIGEST_SIZE];
    size_t size;

    document->has_digest = json.kind != ASSAY_JSON_ABSENT;
    if (!document->has_digest)
        return true;
    return (assay_json_string(json, text, sizeof text, &size)
               && assay_hex_decode(assay_bytes(text, size), document->digest, DIGEST_SIZE))
        || wrong(reader, "map_sha256", "64 hexadecimal digits");
}

static bool read_judgement(struct reader *reader, struct document *document)
{
    struct assay_json scene = assay_json_member(reader->depth, "is_likely_real_scene"),
                      algorithm = assay_json_member(reader->depth, "algorithm_version");

    document->has_judgement = scene.kind != ASSAY_JSON_ABSENT;
    if (document->has_judgement && !assay_json_boolean(scene, &document->is_likely_real_scene))
        return wrong(reader, "is_likely_real_scene", "true or false");
    if (algorithm.kind != ASSAY_JSON_ABSENT
        && (algorithm.kind != ASSAY_JSON_STRING || assay_json_string_size(algorithm) > ALGORITHM_SIZE))
        return wrong(reader, "algorithm_version", "text of at most 64 bytes");
    return true;
}

static bool read_depth(struct reader *reader, struct document *document)
{
    return read_geometry(reader, document) && read_digest(reader, document) && read_judgement(reader, document)
        && read_number(reader, "variance", &document->variance) && read_number(reader, "layers", &document->layers)
        && read_number(reader, "edge_coherence", &document->edge_coherence) && read_number(reader, "min", &document->min)
        && read_number(reader, "max", &document->max);
}

bool document_read(struct assay_bytes json, struct document *document, char problem[PROBLEM_SIZE])
{
    struct reader reader = {{ASSAY_JSON_ABSENT, {NULL, 0}}, problem};
    struct assay_json_error error;
    struct assay_json root;
    int64_t version;

    memset(document, 0, sizeof *document);
    document->width = MAP_WIDTH;
    document->height = MAP_HEIGHT;
    if (json.size > DOCUMENT_SIZE) {
        snprintf(problem, PROBLEM_SIZE, "it has %zu bytes, at most %d are read", json.size, DOCUMENT_SIZE);
        return false;
    }
    if (!assay_json_parse(json, &root, &error)) {
        snprintf(problem, PROBLEM_SIZE, "it is not JSON: at byte %zu: %s", error.at, error.what);
        return false;
    }
    if (root.kind != ASSAY_JSON_OBJECT || !assay_json_integer(assay_json_member(root, "version"), &version)
        || version != DOCUMENT_VERSION)
        return wrong(&reader, "the document", "an object of version 2");
    reader.depth = assay_json_member(root, "depth");
    if (reader.depth.kind == ASSAY_JSON_ABSENT)
        return true;
    return reader.depth.kind == ASSAY_JSON_OBJECT ? read_depth(&reader, document) : wrong(&reader, "depth", "an object");
}

static bool is_close(uint32_t side, int usual)
{
    return (int64_t)side >= usual - MAP_TOLERANCE && (int64_t)side <= usual + MAP_TOLERANCE;
}

bool document_geometry_is_known(const struct document *document)
{
    return is_close(document->width, MAP_WIDTH) && is_close(document->height, MAP_HEIGHT);
}
