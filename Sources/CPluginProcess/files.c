#define _GNU_SOURCE
#include "CPluginProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Linux 6.3. */
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

int assay_event_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int assay_memory_file(const char *name) {
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
    /* Older kernels do not know MFD_EXEC: files are executable there. */
    if (descriptor < 0 && errno == EINVAL) descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return descriptor;
}

int assay_seal(int descriptor) {
    if (fchmod(descriptor, 0555) < 0) return -1;
    /* EBUSY: the kernel itself holds a page of the file for a moment, as its monitoring and reclaiming of memory do. */
    for (int attempt = 0; attempt < 20; attempt++) {
        if (fcntl(descriptor, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0) return 0;
        if (errno != EBUSY) return -1;
        struct timespec pause = {.tv_nsec = 50000000};
        nanosleep(&pause, NULL);
    }
    errno = EBUSY;
    return -1;
}

int assay_open_without_links(const char *path) {
    struct open_how how = {
        .flags = (unsigned long long)(O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY),
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    if (path[0] != '/') {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

static int open_at(int folder, const char *path, unsigned long long flags, unsigned long long resolve) {
    struct open_how how = {.flags = flags | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | resolve};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

int assay_open_place(const char *path) {
    if (path[0] != '/') {
        errno = EINVAL;
        return -1;
    }
    return open_at(AT_FDCWD, path, O_PATH, 0);
}

int assay_open_beneath(int folder, const char *path) {
    return open_at(folder, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, RESOLVE_BENEATH);
}
