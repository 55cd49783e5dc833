/* What the daemon asks for, read from the arguments. help.c describes each option. */
#ifndef ASSAY_LAUNCHER_OPTIONS_H
#define ASSAY_LAUNCHER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* The limits that can be asked for. CORE is always 0, MEMLOCK 1 MiB. */
enum limit_kind { LIMIT_AS, LIMIT_DATA, LIMIT_NOFILE, LIMIT_FSIZE, LIMIT_CPU, LIMIT_NPROC, LIMIT_KINDS };
extern const char *const limit_names[LIMIT_KINDS];

struct limit {
    bool given;
    rlim_t value;
};

/* Strings of argv, not copied. */
struct strings {
    char **items;
    size_t count;
};

struct ports {
    uint16_t *items;
    size_t count;
};

struct options {
    pid_t parent;

    bool execute_descriptor; /* run descriptor 5 */
    const char *executable;  /* or this file */
    char **arguments;        /* argv of the plugin, ends with NULL */
    struct strings environment;

    struct limit limits[LIMIT_KINDS];
    rlim_t threads;            /* of the plugin; 0: not bounded */
    int nice;                  /* its nice value, if the daemon's own is not higher */
    bool changes_user;
    uid_t user;
    gid_t group;

    struct strings readable;   /* files and folders */
    struct strings executable_paths;
    struct ports ports;        /* TCP ports that may be connected to */
    bool udp;
    bool network;              /* any TCP port and UDP */
    bool processes;

    int landlock_wanted;       /* the lowest ABI that will do; 0: Landlock is not demanded */
    bool seccomp_wanted;
    bool accept_weaker;
    bool explain;
};

/* Reads argv, whose first element is the program. Wrong options end the process with a sentence and status 64. */
struct options options_read(int count, char **arguments);

#endif
