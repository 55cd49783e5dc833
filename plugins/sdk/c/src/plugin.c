/* The process: how it starts, and the status with which it ends. */
#include <assay/plugin.h>

#include <signal.h>
#include <stdlib.h>

#include "call.h"
#include "text.h"

enum { SOCKET = 3, EXIT_BY_HAND = 64 };

static const char cookie[] = "1b5f6a40-assay-plugin-v1";

static bool started_by_daemon(void)
{
    const char *found = getenv("ASSAY_PLUGIN_COOKIE");

    return found && strcmp(found, cookie) == 0;
}

static void close_session(struct session *session)
{
    if (session->configuration && session->plugin->release_configuration)
        session->plugin->release_configuration(session->configuration);
    if (session->configuration)
        assay_wipe(session->configuration, session->plugin->configuration_size);
    free(session->configuration);
    queue_close(&session->queue);
    arena_close(&session->arena);
    connection_close(&session->connection);
}

int assay_plugin_run(const struct assay_plugin *plugin)
{
    struct session session = {.plugin = plugin};
    int status = EXIT_FAILURE;

    if (!started_by_daemon()) {
        text_complain(plugin->name, 
            "this is a plugin of Assay: it is started by assayd, which finds it in plugins.d, and does nothing by hand.");
        return EXIT_BY_HAND;
    }
    /* The end of the daemon is seen as an error of write. */
    signal(SIGPIPE, SIG_IGN);
    if (!arena_open(&session.arena, ASSAY_CALL_MEMORY) || !connection_open(&session.connection, SOCKET))
        text_complain(plugin->name, 
            "there is not enough memory to start: 12 MiB of address space are needed; raise the limit of the catalog's entry.");
    else
        status = session_run(&session);
    if (session.connection.fault[0] != '\0')
        text_complain(plugin->name, session.connection.fault);
    close_session(&session);
    return status;
}
