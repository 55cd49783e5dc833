/* The system calls for processes of plugins that Swift does not import: starting, process descriptors, sealed memory files.
 *
 * Functions return 0 or a descriptor, and -1 with errno otherwise, unless they say something else. Every descriptor is close-on-exec.
 */
#ifndef ASSAY_CPLUGINPROCESS_H
#define ASSAY_CPLUGINPROCESS_H

#include <sys/types.h>

/* Starts `path`, with signals as at the start of a program, and stores its process id. `descriptors[i]` becomes descriptor i of the
 * process, for i < count <= 16; -1 leaves i closed. Returns 0 or an error number.
 */
int assay_plugin_spawn(
    pid_t *process, const char *path, char *const arguments[], char *const environment[], const int *descriptors, int count);

/* A descriptor of a child that has not been waited for. */
int assay_process_descriptor(pid_t process);

/* Sends a signal to exactly this process, and never to one that has its number later. */
int assay_process_signal(int descriptor, int signal);

/* Whether the process has ended: 0: not yet; 1: it exited with *status; 2: the signal *status ended it; -1: errno. Waits for nothing.
 * The process keeps its number until assay_process_release.
 */
int assay_process_end(int descriptor, int *status);

/* Releases the number of a process that has ended. */
void assay_process_release(int descriptor);

/* Such as "SEGV"; NULL for a number that is no signal's. */
const char *assay_signal_name(int signal);

/* Such as "openat"; NULL for a number that names no call of this processor. */
const char *assay_system_call_name(int number);

/* A pipe: descriptors[0] reads without blocking, descriptors[1] writes. */
int assay_log_pipe(int descriptors[2]);

/* A connected pair of stream sockets. descriptors[0] does not block. */
int assay_socket_pair(int descriptors[2]);

/* An event descriptor that does not block, to wake a poll. */
int assay_event_descriptor(void);

/* An empty file in memory that can be sealed and executed. */
int assay_memory_file(const char *name);

/* Makes the memory file executable, and unchangeable for good. */
int assay_seal(int descriptor);

/* Opens an absolute path for reading. ELOOP if any part of it is a symbolic link. Never blocks on a pipe. */
int assay_open_without_links(const char *path);

/* The same for looking at what is there, not for reading it. */
int assay_open_place(const char *path);

/* Opens a file or folder below an open folder for reading: ELOOP or EXDEV if the path leads through a symbolic link or out of it. */
int assay_open_beneath(int folder, const char *path);

/* Lets no other process of the same user read the memory and environment of this one, or trace it. No core files are written. */
int assay_forbid_dumps(void);

#endif
