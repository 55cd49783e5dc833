#include "settings.h"

void settings_read(void *configuration, const struct assay_setting *root)
{
    /* In the order of enum layout. */
    static const char *const layouts[] = {"ciphertext-nonce-tag", "ciphertext-tag-nonce", "nonce-ciphertext-tag", NULL};
    static const char *const assurances[] = {"software", "hardware", "secure_element", NULL};
    static const enum assay_assurance values[] = {ASSAY_ASSURANCE_SOFTWARE, ASSAY_ASSURANCE_HARDWARE,
        ASSAY_ASSURANCE_SECURE_ELEMENT};
    struct settings *settings = configuration;
    struct assay_setting assurance = assay_setting_member(root, "assurance");
    size_t chosen = 0;
    struct assay_setting layout = assay_setting_member(root, "token_layout");
    struct assay_setting ahead = assay_setting_member(root, "max_future_seconds"),
        age = assay_setting_member(root, "max_age_seconds");

    settings->layout = LAYOUT_CIPHERTEXT_NONCE_TAG;
    settings->ahead_seconds = AHEAD_SECONDS;
    settings->age_seconds = AGE_SECONDS;
    assay_setting_choice(&layout, layouts, &settings->layout);
    assay_setting_choice(&assurance, assurances, &chosen);
    settings->assurance = values[chosen];
    assay_setting_integer(&ahead, 0, AHEAD_SECONDS_MOST, &settings->ahead_seconds);
    assay_setting_integer(&age, 1, AGE_SECONDS_MOST, &settings->age_seconds);
}
