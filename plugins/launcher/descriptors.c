#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "status.h"

static bool is_open(int descriptor) { return fcntl(descriptor, F_GETFD) >= 0; }

static int socket_option(int descriptor, int name) {
    int value = -1;
    socklen_t length = sizeof value;
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : -1;
}

/* Connected as well: an unconnected socket could be connected to any Unix socket of the machine. A datagram socket can always send
 * to another address. */
static bool is_connection(int descriptor) {
    struct sockaddr_storage peer;
    socklen_t length = sizeof peer;
    return socket_option(descriptor, SO_DOMAIN) == AF_UNIX && socket_option(descriptor, SO_TYPE) == SOCK_STREAM
        && getpeername(descriptor, (struct sockaddr *)&peer, &length) == 0;
}

static bool is_writable_pipe(int descriptor) {
    struct stat status;
    int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) == O_WRONLY && fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode);
}

const char *descriptors_fault(void) {
    if (!is_open(0) || !is_open(1) || !is_open(2)) return "One of the descriptors 0, 1 and 2 is closed.";
    if (!is_connection(CONNECTION_DESCRIPTOR)) return "Descriptor 3 is not a connected Unix stream socket.";
    if (!is_writable_pipe(STATUS_DESCRIPTOR)) return "Descriptor 4 is not the writing end of a pipe.";
    return NULL;
}

static void close_on_exec(int descriptor) {
    if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0)
        status_fail("descriptors", errno, "Descriptor %d, which --exec-fd or the report needs, is not open.", descriptor);
}

/* What was hashed is what runs only if it cannot change: the kernel lets a memory file be written while it runs, unless it is sealed.
 * A file in a folder is guarded by its owner and mode, which the daemon checks. */
static void check_seal(void) {
    struct stat status;
    int seals = fcntl(EXECUTABLE_DESCRIPTOR, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_WRITE) != 0 || fstat(EXECUTABLE_DESCRIPTOR, &status) != 0 || status.st_nlink > 0) return;
    status_fail("descriptors", 0, "The executable is a memory file that can still be written: seal it with F_SEAL_WRITE first.");
}

/* O_PATH: the plugin's file need not be readable to be run. After close_range 5 is the lowest free number. */
static void open_executable(const char *path) {
    int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0)
        status_fail("descriptors", errno, "The executable %s cannot be opened: check the path and the rights of its folders.", path);
    if (descriptor != EXECUTABLE_DESCRIPTOR)
        status_fail("descriptors", EBADF, "The executable was opened as descriptor %d, and 5 was expected.", descriptor);
}

void descriptors_prepare(const struct options *options) {
    unsigned first_stray = options->execute_descriptor ? EXECUTABLE_DESCRIPTOR + 1 : EXECUTABLE_DESCRIPTOR;
    if (close_range(first_stray, UINT_MAX, 0) != 0)
        status_fail("descriptors", errno, "close_range failed, which Linux 5.9 and later has: the plugin would inherit descriptors.");
    close_on_exec(STATUS_DESCRIPTOR);
    if (options->execute_descriptor) {
        close_on_exec(EXECUTABLE_DESCRIPTOR);
        check_seal();
    } else {
        open_executable(options->executable);
    }
    status_done("descriptors", "0-3");
}
