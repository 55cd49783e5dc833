#include "settings.h"

#include <sodium.h>

enum { LINE_SIZE = 2 * SECRET_KEY_SIZE, KEY_FILE_SIZE = RECIPIENTS * (LINE_SIZE + 2) };

static bool is_known(const struct settings *settings, const uint8_t fingerprint[FINGERPRINT_SIZE])
{
    for (size_t i = 0; i < settings->recipient_count; i++)
        if (memcmp(settings->recipients[i], fingerprint, FINGERPRINT_SIZE) == 0)
            return true;
    return false;
}

/* MARK: Mode structure */

static void read_recipients(const struct assay_setting *list, struct settings *settings)
{
    for (size_t i = 0, count = assay_setting_count(list, 1, RECIPIENTS); i < count; i++) {
        struct assay_setting element = assay_setting_element(list, i);
        uint8_t *fingerprint = settings->recipients[settings->recipient_count];
        if (!read_hex(element.value, fingerprint, FINGERPRINT_SIZE))
            assay_setting_report(&element, "expected a fingerprint of 40 lower-case hex digits: the beginning of SHA-256 of a public key");
        else if (is_known(settings, fingerprint))
            assay_setting_report(&element, "the list has this fingerprint twice; remove one");
        else
            settings->recipient_count++;
    }
}

/* MARK: Mode open */

static bool open_vault(const struct assay_setting *file, struct settings *settings)
{
    settings->vault = sodium_malloc(sizeof *settings->vault);
    if (!settings->vault) {
        assay_setting_report(file, "there is not enough memory for the keys and a payload: %zu bytes", sizeof *settings->vault);
        return false;
    }
    sodium_memzero(settings->vault, sizeof *settings->vault);
    settings->locked = sodium_mlock(settings->vault, sizeof *settings->vault) == 0;
    return true;
}

/* A line of the key file. The sentence says nothing of what it holds. */
static void read_key(const struct assay_setting *file, struct assay_bytes line, size_t number, struct settings *settings)
{
    uint8_t *secret_key = settings->vault->secret_keys[settings->recipient_count];
    uint8_t public_key[PUBLIC_KEY_SIZE];

    if (settings->recipient_count == RECIPIENTS) {
        assay_setting_report(file, "line %zu: expected at most %d keys", number, RECIPIENTS);
        return;
    }
    if (line.size != LINE_SIZE || !assay_hex_decode(line, secret_key, SECRET_KEY_SIZE)) {
        assay_setting_report(file, "line %zu: expected an X25519 secret key as %d hex digits, found %zu bytes of another form", number, LINE_SIZE, line.size);
        return;
    }
    if (crypto_scalarmult_base(public_key, secret_key) != 0) {
        assay_setting_report(file, "line %zu: the key cannot be used", number);
        return;
    }
    opening_fingerprint(public_key, settings->recipients[settings->recipient_count]);
    if (is_known(settings, settings->recipients[settings->recipient_count]))
        assay_setting_report(file, "line %zu: the file has this key twice; remove one", number);
    else
        settings->recipient_count++;
}

static void read_lines(const struct assay_setting *file, struct assay_bytes text, struct settings *settings)
{
    size_t number = 1;

    while (text.size > 0) {
        const uint8_t *end = memchr(text.data, '\n', text.size);
        size_t size = end ? (size_t)(end - text.data) : text.size;
        read_key(file, assay_bytes(text.data, size), number++, settings);
        size += end ? 1 : 0;
        text = assay_bytes(text.data + size, text.size - size);
    }
    if (number == 1)
        assay_setting_report(file, "expected 1 to %d X25519 secret keys, each on a line of its own; the file is empty", RECIPIENTS);
}

static void read_keys_file(const struct assay_setting *file, struct settings *settings)
{
    char text[KEY_FILE_SIZE];
    size_t size = 0;

    if (!assay_json_string(file->value, text, sizeof text, &size))
        assay_setting_report(file, "expected text of 1 to %d lines with %d hex digits each, found %zu bytes", RECIPIENTS, LINE_SIZE, assay_json_string_size(file->value));
    else if (open_vault(file, settings))
        read_lines(file, assay_bytes(text, size), settings);
    sodium_memzero(text, sizeof text);
}

/* MARK: The whole */

static void refuse_beside(const struct assay_setting *setting, const char *mode, const char *other)
{
    if (assay_setting_given(setting))
        assay_setting_report(setting, "mode %s has no use for it: it is for mode %s", mode, other);
}

static void read_plaintext_sha256(const struct assay_setting *root, bool opens, struct settings *settings)
{
    static const char *const words[] = {"required", "optional", NULL};
    struct assay_setting stated = assay_setting_member(root, "plaintext_sha256"),
        claimed = assay_setting_member(root, "claim_plaintext_sha256");
    size_t word = 0;

    assay_setting_choice(&stated, words, &word);
    settings->plaintext_sha256_optional = word == 1;
    assay_setting_boolean(&claimed, &settings->claims_plaintext_sha256);
    if (settings->claims_plaintext_sha256 && !opens)
        assay_setting_report(&claimed, "mode structure opens nothing, and so knows no plaintext: use mode open, or remove it");
}

void settings_read(void *configuration, const struct assay_setting *root)
{
    static const char *const modes[] = {"structure", "open", NULL};
    struct settings *settings = configuration;
    struct assay_setting mode = assay_setting_member(root, "mode"), recipients = assay_setting_member(root, "recipients"),
        file = assay_setting_member(root, "keys_file");
    size_t chosen = 0;

    if (!assay_setting_required(&mode) || !assay_setting_choice(&mode, modes, &chosen))
        return;
    if (chosen == 0) {
        refuse_beside(&file, "structure", "open");
        if (assay_setting_required(&recipients))
            read_recipients(&recipients, settings);
    } else {
        refuse_beside(&recipients, "open", "structure");
        if (assay_setting_required(&file))
            read_keys_file(&file, settings);
    }
    read_plaintext_sha256(root, chosen == 1, settings);
}

void settings_release(void *configuration)
{
    struct settings *settings = configuration;

    /* Overwrites it too. */
    sodium_free(settings->vault);
    settings->vault = NULL;
}
