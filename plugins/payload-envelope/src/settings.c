#include "settings.h"

#include <stdlib.h>

#include "timestamp.h"

static void read_time(const struct assay_setting *setting, int64_t *milliseconds)
{
    char text[40];

    if (assay_setting_text(setting, text, sizeof text) && !timestamp_read(assay_string(text), milliseconds))
        assay_setting_report(setting, "expected a time in UTC such as 2025-01-01T00:00:00Z, found %s", text);
}

static void read_secret(const struct assay_setting *element, struct settings *settings)
{
    static const char *const names[] = {"id", "secret", "not_before", "not_after", NULL};
    struct secret *secret = &settings->secrets[settings->secret_count];
    struct assay_setting id = assay_setting_member(element, "id"), text = assay_setting_member(element, "secret");
    struct assay_setting not_before = assay_setting_member(element, "not_before"),
        not_after = assay_setting_member(element, "not_after");

    secret->not_before_ms = INT64_MIN;
    secret->not_after_ms = INT64_MAX;
    if (!assay_setting_object(element, names) || !assay_setting_required(&id) || !assay_setting_required(&text))
        return;
    if (!assay_setting_text(&id, secret->id, sizeof secret->id)
        || !assay_setting_text(&text, secret->text, sizeof secret->text))
        return;
    read_time(&not_before, &secret->not_before_ms);
    read_time(&not_after, &secret->not_after_ms);
    if (secret->not_before_ms > secret->not_after_ms)
        assay_setting_report(element, "not_before is after not_after: the secret would never be valid");
    for (size_t i = 0; i < settings->secret_count; i++)
        if (strcmp(settings->secrets[i].id, secret->id) == 0)
            assay_setting_report(&id, "another secret has the id %s; give each version its own", secret->id);
    settings->secret_count++;
}

static void read_secrets(const struct assay_setting *list, struct settings *settings)
{
    for (size_t i = 0, count = assay_setting_count(list, 1, SECRETS); i < count; i++) {
        struct assay_setting element = assay_setting_element(list, i);
        read_secret(&element, settings);
    }
}

/* The file's content is the list in JSON. */
static void read_secrets_file(const struct assay_setting *file, struct settings *settings)
{
    size_t size = assay_json_string_size(file->value);
    char *text = malloc(size + 1);
    struct assay_setting list = *file;
    struct assay_json_error error = {0, "expected text"};

    if (!text)
        assay_setting_report(file, "there is not enough memory for the file's %zu bytes", size);
    else if (!assay_json_string(file->value, text, size, &size)
        || !assay_json_parse(assay_bytes(text, size), &list.value, &error))
        assay_setting_report(file, "expected the list of secrets in JSON: at byte %zu: %s", error.at, error.what);
    else
        read_secrets(&list, settings);
    if (text)
        assay_wipe(text, size);
    free(text);
}

void settings_read(void *configuration, const struct assay_setting *root)
{
    struct settings *settings = configuration;
    struct assay_setting secrets = assay_setting_member(root, "secrets"), file = assay_setting_member(root, "secrets_file");
    struct assay_setting window = assay_setting_member(root, "window_seconds"), mac = assay_setting_member(root, "require_mac");
    struct assay_setting request_id = assay_setting_member(root, "require_request_id"),
        payload = assay_setting_member(root, "return_payload");

    if (assay_setting_given(&secrets) == assay_setting_given(&file))
        assay_setting_report(&secrets, "expected either secrets or secrets_file");
    else if (assay_setting_given(&file))
        read_secrets_file(&file, settings);
    else
        read_secrets(&secrets, settings);
    settings->window_seconds = WINDOW_SECONDS;
    assay_setting_integer(&window, 1, WINDOW_SECONDS_MOST, &settings->window_seconds);
    assay_setting_boolean(&mac, &settings->require_mac);
    assay_setting_boolean(&request_id, &settings->require_request_id);
    assay_setting_boolean(&payload, &settings->return_payload);
}
