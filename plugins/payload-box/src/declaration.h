/* What the plugin declares. */
#ifndef PAYLOAD_BOX_DECLARATION_H
#define PAYLOAD_BOX_DECLARATION_H

#include <assay/plugin.h>

extern const struct assay_plugin payload_box;

#endif
