/* A reader of JSON (RFC 8259) that allocates nothing. assay_json_parse checks a whole document once; what it accepts is then
 * read by member and element, where nothing can fail but a wrong kind or a missing member.
 *
 * Refused: text that is not UTF-8, lone surrogates, anything after the value, a member that an object has twice (names are
 * compared after decoding: "a" is "\u0061"), more than 32 levels, more than 512 members in all the objects that are open at one
 * place, 16 MiB. */
#ifndef ASSAY_JSON_H
#define ASSAY_JSON_H

#include <assay/bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    ASSAY_JSON_DEPTH = 32,
    ASSAY_JSON_MEMBERS = 512,
    ASSAY_JSON_SIZE = 16 * 1024 * 1024
};

enum assay_json_kind {
    ASSAY_JSON_ABSENT = 0, /* there is no such member or element */
    ASSAY_JSON_NULL,
    ASSAY_JSON_BOOLEAN,
    ASSAY_JSON_NUMBER,
    ASSAY_JSON_STRING,
    ASSAY_JSON_ARRAY,
    ASSAY_JSON_OBJECT
};

/* A value within a checked document, which it does not outlive. All zero is the absent value, which each function below
 * takes. */
struct assay_json {
    enum assay_json_kind kind;
    struct assay_bytes text; /* as it stands in the document: "12.50", "\"a\\n\"", "[1, 2]" */
};

struct assay_json_error {
    size_t at;        /* the offset of the byte where reading stopped */
    const char *what; /* such as "expected a colon" */
};

/* Checks the document. True: `value` is its value. False: `error`, unless it is NULL, says why. */
bool assay_json_parse(struct assay_bytes document, struct assay_json *value, struct assay_json_error *error);

/* "an object", "a number", …, for sentences. */
const char *assay_json_kind_name(enum assay_json_kind kind);

bool assay_json_boolean(struct assay_json value, bool *out);

/* A number without fraction and exponent that fits; -0 is none. For other numbers: `value.text`. */
bool assay_json_integer(struct assay_json value, int64_t *out);

/* The decoded size of a string, in bytes; 0 for what is no string. */
size_t assay_json_string_size(struct assay_json value);

/* Decodes a string to UTF-8, without a NUL at its end; it may contain one. False: no string, or longer than `capacity`. */
bool assay_json_string(struct assay_json value, void *out, size_t capacity, size_t *size);

/* Whether the value is a string that decodes to this one. */
bool assay_json_spells(struct assay_json value, const char *string);

/* A member of an object by its name; absent if there is none, or if `object` is no object. */
struct assay_json assay_json_member(struct assay_json object, const char *name);

/* Whether the value is an object whose members all have one of the names, which NULL ends. */
bool assay_json_has_only(struct assay_json object, const char *const *names);

/* The number of elements of an array or of members of an object; 0 for other values. */
size_t assay_json_count(struct assay_json value);

/* Walks an array or an object: start with all zero. */
struct assay_json_place {
    size_t next;
};

bool assay_json_next_element(struct assay_json array, struct assay_json_place *place, struct assay_json *element);
bool assay_json_next_member(struct assay_json object, struct assay_json_place *place, struct assay_json *name,
    struct assay_json *value);

#ifdef __cplusplus
}
#endif
#endif
