/* What a process inherits besides descriptors: session, signals, folder, mask of file modes. */
#ifndef ASSAY_LAUNCHER_PROCESS_H
#define ASSAY_LAUNCHER_PROCESS_H

#include <sys/types.h>

/* A session and group of its own, for kill(-pid), and every signal at its default and unblocked. */
void process_start_session(void);

/* The working folder is /, new files are private. */
void process_leave_folder(void);

/* The plugin dies with the thread that started it. Call after the user is changed, which would undo it. */
void process_die_with(pid_t parent);

#endif
