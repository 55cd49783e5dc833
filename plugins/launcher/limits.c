#include "limits.h"

#include <errno.h>
#include <stdio.h>

#include "status.h"

static const __rlimit_resource_t resources[LIMIT_KINDS] = {
    [LIMIT_AS] = RLIMIT_AS,       [LIMIT_DATA] = RLIMIT_DATA, [LIMIT_NOFILE] = RLIMIT_NOFILE,
    [LIMIT_FSIZE] = RLIMIT_FSIZE, [LIMIT_CPU] = RLIMIT_CPU,   [LIMIT_NPROC] = RLIMIT_NPROC,
};

/* At most `value`: where the daemon's own hard limit is lower, that one holds, since only root could raise it. */
static rlim_t set_limit(__rlimit_resource_t resource, const char *name, rlim_t value) {
    struct rlimit inherited;
    if (getrlimit(resource, &inherited) != 0) status_fail("limits", errno, "The limit \"%s\" cannot be read.", name);
    rlim_t lower = value < inherited.rlim_max ? value : inherited.rlim_max;
    struct rlimit wanted = {.rlim_cur = lower, .rlim_max = lower};
    if (setrlimit(resource, &wanted) != 0)
        status_fail("limits", errno, "The limit \"%s\" cannot be set to %llu.", name, (unsigned long long)lower);
    return lower;
}

struct report {
    char text[256];
    size_t used;
};

static void append(struct report *report, const char *name, rlim_t value) {
    size_t rest = sizeof report->text - report->used;
    int length = value == RLIM_INFINITY
        ? snprintf(report->text + report->used, rest, " %s=unlimited", name)
        : snprintf(report->text + report->used, rest, " %s=%llu", name, (unsigned long long)value);
    if (length > 0 && (size_t)length < rest) report->used += (size_t)length;
}

/* What holds for the plugin, limits that were not asked for as well: those are the daemon's. */
static rlim_t limit_in_force(const struct options *options, int kind) {
    if (options->limits[kind].given) return set_limit(resources[kind], limit_names[kind], options->limits[kind].value);
    struct rlimit inherited;
    if (getrlimit(resources[kind], &inherited) != 0)
        status_fail("limits", errno, "The limit \"%s\" cannot be read.", limit_names[kind]);
    return inherited.rlim_cur;
}

void limits_set(const struct options *options) {
    struct report report = {.used = 0};
    /* A core file would hold the plugin's secrets; locked memory is not counted by the other limits. */
    append(&report, "core", set_limit(RLIMIT_CORE, "core", 0));
    append(&report, "memlock", set_limit(RLIMIT_MEMLOCK, "memlock", 0));
    for (int kind = 0; kind < LIMIT_KINDS; kind++) append(&report, limit_names[kind], limit_in_force(options, kind));
    status_done("limits", "%s", report.text + 1);
}
