#include <assay/setting.h>

#include <stdio.h>

bool assay_setting_given(const struct assay_setting *setting)
{
    return setting->value.kind != ASSAY_JSON_ABSENT && setting->value.kind != ASSAY_JSON_NULL;
}

/* Printable ASCII only: a path is text for people, and a member's name may be anything. */
static void append_path(struct assay_setting *setting, const char *separator, struct assay_bytes name)
{
    size_t at = strlen(setting->path);

    at += (size_t)snprintf(setting->path + at, sizeof setting->path - at, "%s", at == 0 ? "" : separator);
    for (size_t i = 0; i < name.size && at + 1 < sizeof setting->path; i++, at++)
        setting->path[at] = name.data[i] >= 0x20 && name.data[i] < 0x7f ? (char)name.data[i] : '?';
    if (at < sizeof setting->path)
        setting->path[at] = '\0';
}

struct assay_setting assay_setting_member(const struct assay_setting *object, const char *name)
{
    struct assay_setting member = *object;

    member.value = assay_json_member(object->value, name);
    append_path(&member, ".", assay_string(name));
    return member;
}

size_t assay_setting_count(const struct assay_setting *list, size_t least, size_t most)
{
    size_t count = assay_json_count(list->value);

    if (list->value.kind != ASSAY_JSON_ARRAY) {
        assay_setting_report(list, "expected a list, found %s", assay_json_kind_name(list->value.kind));
        return 0;
    }
    if (count >= least && count <= most)
        return count;
    assay_setting_report(list, "expected a list of %zu to %zu, found %zu", least, most, count);
    return 0;
}

struct assay_setting assay_setting_element(const struct assay_setting *list, size_t index)
{
    struct assay_setting element = *list;
    struct assay_json_place place = {0};
    size_t at = strlen(element.path);

    for (size_t i = 0; i <= index; i++)
        if (!assay_json_next_element(list->value, &place, &element.value))
            element.value = (struct assay_json){ASSAY_JSON_ABSENT, {NULL, 0}};
    snprintf(element.path + at, sizeof element.path - at, "[%zu]", index);
    return element;
}

static bool is_among(struct assay_json name, const char *const *names)
{
    for (; *names; names++)
        if (assay_json_spells(name, *names))
            return true;
    return false;
}

bool assay_setting_object(const struct assay_setting *object, const char *const *names)
{
    struct assay_json_place place = {0};
    struct assay_json name, value;
    bool right = true;

    if (object->value.kind != ASSAY_JSON_OBJECT) {
        assay_setting_report(object, "expected an object, found %s", assay_json_kind_name(object->value.kind));
        return false;
    }
    while (assay_json_next_member(object->value, &place, &name, &value)) {
        struct assay_setting member = *object;
        if (is_among(name, names))
            continue;
        append_path(&member, ".", assay_bytes(name.text.data + 1, name.text.size - 2));
        assay_setting_report(&member, "there is no such key; remove it");
        right = false;
    }
    return right;
}

bool assay_setting_required(const struct assay_setting *setting)
{
    if (assay_setting_given(setting))
        return true;
    assay_setting_report(setting, "this key is required, and not given");
    return false;
}

static bool has_kind(const struct assay_setting *setting, enum assay_json_kind kind)
{
    if (!assay_setting_given(setting))
        return false;
    if (setting->value.kind == kind)
        return true;
    assay_setting_report(setting, "expected %s, found %s", assay_json_kind_name(kind),
        assay_json_kind_name(setting->value.kind));
    return false;
}

bool assay_setting_boolean(const struct assay_setting *setting, bool *out)
{
    return has_kind(setting, ASSAY_JSON_BOOLEAN) && assay_json_boolean(setting->value, out);
}

bool assay_setting_integer(const struct assay_setting *setting, int64_t least, int64_t most, int64_t *out)
{
    int64_t value;

    if (!has_kind(setting, ASSAY_JSON_NUMBER))
        return false;
    if (assay_json_integer(setting->value, &value) && value >= least && value <= most) {
        *out = value;
        return true;
    }
    assay_setting_report(setting, "expected an integer from %lld to %lld, found %.*s", (long long)least, (long long)most,
        setting->value.text.size > 32 ? 32 : (int)setting->value.text.size, (const char *)setting->value.text.data);
    return false;
}

bool assay_setting_text(const struct assay_setting *setting, char *out, size_t capacity)
{
    size_t size;

    if (!has_kind(setting, ASSAY_JSON_STRING))
        return false;
    if (assay_json_string(setting->value, out, capacity - 1, &size) && size > 0 && !memchr(out, '\0', size)) {
        out[size] = '\0';
        return true;
    }
    /* The value is not repeated: it may be a secret. */
    assay_wipe(out, capacity);
    assay_setting_report(setting, "expected text of 1 to %zu bytes without NUL, found %zu bytes", capacity - 1,
        assay_json_string_size(setting->value));
    return false;
}

bool assay_setting_choice(const struct assay_setting *setting, const char *const *words, size_t *out)
{
    char list[256] = "";
    size_t at = 0;

    if (!has_kind(setting, ASSAY_JSON_STRING))
        return false;
    for (size_t i = 0; words[i]; i++) {
        if (assay_json_spells(setting->value, words[i])) {
            *out = i;
            return true;
        }
        if (at < sizeof list)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i == 0 ? "" : ", ", words[i]);
    }
    assay_setting_report(setting, "expected one of %s", list);
    return false;
}
