/* A plugin's life with the daemon: calls come in and are answered, calls to the host go out. */
#ifndef ASSAY_SESSION_H
#define ASSAY_SESSION_H

#include <assay/plugin.h>

#include "arena.h"
#include "connection.h"
#include "queue.h"

enum { HOST_CALLS = 16 /* plugin protocol, "The connection", 5 */ };

/* The calls to the host that have no reply yet. At most one of them is awaited: a handler waits for it. */
struct host_calls {
    uint64_t last_id;
    uint64_t ids[HOST_CALLS];
    size_t count;
    uint64_t awaited; /* 0: none */
    bool replied;     /* to the awaited one, with: */
    struct status status;
    struct assay_bytes message;
};

struct session {
    const struct assay_plugin *plugin;
    struct connection connection;
    struct arena arena;
    struct queue queue;
    struct host_calls host;
    uint64_t serving; /* the id of the call whose handler runs; 0: none */
    bool ended;       /* the daemon sends no more */
    void *configuration;
};

/* Serves until the end; the process's exit status. */
int session_run(struct session *session);

/* Takes the next frame while a handler runs: replies are noted, pings answered, calls queued. False: no more comes. */
bool session_pump(struct session *session);

#endif
