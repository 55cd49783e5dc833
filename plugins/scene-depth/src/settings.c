#include "settings.h"

void settings_read(void *configuration, const struct assay_setting *root)
{
    struct settings *settings = configuration;
    struct assay_setting strict = assay_setting_member(root, "strict"),
                         reject_screens = assay_setting_member(root, "reject_screens");

    assay_setting_boolean(&strict, &settings->strict);
    assay_setting_boolean(&reject_screens, &settings->reject_screens);
}
