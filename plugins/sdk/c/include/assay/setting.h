/* Reads a configuration: each reader reports what is wrong with the path and a sentence, and goes on, so that all problems come
 * at once. */
#ifndef ASSAY_SETTING_H
#define ASSAY_SETTING_H

#include <assay/json.h>

#ifdef __cplusplus
extern "C" {
#endif

struct assay_problems;

enum { ASSAY_SETTING_PATH = 160 };

/* A value of the configuration and where it stands, such as "secrets[2].id". */
struct assay_setting {
    struct assay_json value;
    char path[ASSAY_SETTING_PATH];
    struct assay_problems *problems;
};

/* Reports a problem. The format is printf's. */
void assay_setting_report(const struct assay_setting *setting, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether the setting is given. `null` counts as not given. */
bool assay_setting_given(const struct assay_setting *setting);

/* A member of an object; not given if there is none. */
struct assay_setting assay_setting_member(const struct assay_setting *object, const char *name);

/* The number of elements of a list of `least` to `most`. Another value is reported and counts as 0 elements. */
size_t assay_setting_count(const struct assay_setting *list, size_t least, size_t most);

struct assay_setting assay_setting_element(const struct assay_setting *list, size_t index);

/* Reports a value that is no object, and members that are not in `names`, which NULL ends. */
bool assay_setting_object(const struct assay_setting *object, const char *const *names);

/* The readers return true and fill `out` if the setting is given and right. They report one that is given and wrong. If it is
 * not given they return false and leave `out` as it is: put a default there before. `required` reports one that is not
 * given. */
bool assay_setting_required(const struct assay_setting *setting);
bool assay_setting_boolean(const struct assay_setting *setting, bool *out);
bool assay_setting_integer(const struct assay_setting *setting, int64_t least, int64_t most, int64_t *out);

/* Text of 1 to `capacity` - 1 bytes without a NUL, which is put at its end. */
bool assay_setting_text(const struct assay_setting *setting, char *out, size_t capacity);

/* One of the words, which NULL ends, as its index. */
bool assay_setting_choice(const struct assay_setting *setting, const char *const *words, size_t *out);

#ifdef __cplusplus
}
#endif
#endif
