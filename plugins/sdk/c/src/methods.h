/* The methods of assay.plugin.v1.Plugin. */
#ifndef ASSAY_METHODS_H
#define ASSAY_METHODS_H

#include "session.h"

/* Serves a call and answers it. False: the answer cannot be sent. */
bool methods_serve(struct session *session, const struct frame *frame, int64_t arrived_at_us);

/* Answers with a status. */
bool methods_refuse(struct session *session, uint64_t call_id, enum status_code code, const char *reason, const char *message);

#endif
