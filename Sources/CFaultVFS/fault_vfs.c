#include "fault_vfs.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 3 };

/* One atomic for each kind of file. */
typedef struct {
    atomic_int code[KINDS];
} fault;

struct fault_vfs {
    sqlite3_vfs base;
    sqlite3_vfs *real;
    atomic_llong syncs[KINDS], written[KINDS];
    fault writes, syncing, reads, opens;
    atomic_llong space;
    atomic_int read_only;
};

typedef struct {
    sqlite3_file base;
    fault_vfs *vfs;
    int kind;
    sqlite3_file *real; /* lies behind this struct */
} fault_file;

static int kind_of(int flags) {
    if (flags & SQLITE_OPEN_MAIN_DB) return 0;
    if (flags & SQLITE_OPEN_WAL) return 1;
    return 2;
}

static void set_fault(fault *f, int kinds, int code) {
    for (int kind = 0; kind < KINDS; kind++)
        if (kinds >> kind & 1) atomic_store(&f->code[kind], code);
}

static long long sum(atomic_llong *values, int kinds) {
    long long total = 0;
    for (int kind = 0; kind < KINDS; kind++)
        if (kinds >> kind & 1) total += atomic_load(&values[kind]);
    return total;
}

/* Files */

static int file_close(sqlite3_file *f) {
    fault_file *file = (fault_file *)f;
    return file->real->pMethods ? file->real->pMethods->xClose(file->real) : SQLITE_OK;
}

static int file_read(sqlite3_file *f, void *out, int amount, sqlite3_int64 offset) {
    fault_file *file = (fault_file *)f;
    int code = atomic_load(&file->vfs->reads.code[file->kind]);
    return code ? code : file->real->pMethods->xRead(file->real, out, amount, offset);
}

static int file_write(sqlite3_file *f, const void *in, int amount, sqlite3_int64 offset) {
    fault_file *file = (fault_file *)f;
    fault_vfs *vfs = file->vfs;
    int code = atomic_load(&vfs->writes.code[file->kind]);
    if (code) return code;
    if (atomic_load(&vfs->read_only)) return SQLITE_IOERR_WRITE; /* what the unix VFS makes of EROFS */
    if (atomic_load(&vfs->space) >= 0 && atomic_fetch_sub(&vfs->space, amount) < amount) {
        atomic_store(&vfs->space, 0);
        return SQLITE_FULL;
    }
    code = file->real->pMethods->xWrite(file->real, in, amount, offset);
    if (code == SQLITE_OK) atomic_fetch_add(&vfs->written[file->kind], amount);
    return code;
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 size) {
    fault_file *file = (fault_file *)f;
    if (atomic_load(&file->vfs->read_only)) return SQLITE_IOERR_TRUNCATE;
    return file->real->pMethods->xTruncate(file->real, size);
}

static int file_sync(sqlite3_file *f, int flags) {
    fault_file *file = (fault_file *)f;
    int code = atomic_load(&file->vfs->syncing.code[file->kind]);
    if (code == 0) code = file->real->pMethods->xSync(file->real, flags);
    if (code == SQLITE_OK) atomic_fetch_add(&file->vfs->syncs[file->kind], 1);
    return code;
}

static int file_size(sqlite3_file *f, sqlite3_int64 *size) {
    fault_file *file = (fault_file *)f;
    return file->real->pMethods->xFileSize(file->real, size);
}
static int file_lock(sqlite3_file *f, int level) {
    fault_file *file = (fault_file *)f;
    return file->real->pMethods->xLock(file->real, level);
}
static int file_unlock(sqlite3_file *f, int level) {
    fault_file *file = (fault_file *)f;
    return file->real->pMethods->xUnlock(file->real, level);
}
static int file_check_lock(sqlite3_file *f, int *out) {
    fault_file *file = (fault_file *)f;
    return file->real->pMethods->xCheckReservedLock(file->real, out);
}
static int file_control(sqlite3_file *f, int op, void *arg) {
    fault_file *file = (fault_file *)f;
    return file->real->pMethods->xFileControl(file->real, op, arg);
}
static int file_sector(sqlite3_file *f) {
    fault_file *file = (fault_file *)f;
    return file->real->pMethods->xSectorSize(file->real);
}
static int file_device(sqlite3_file *f) {
    fault_file *file = (fault_file *)f;
    return file->real->pMethods->xDeviceCharacteristics(file->real);
}
static int file_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out) {
    fault_file *file = (fault_file *)f;
    return file->real->pMethods->xShmMap(file->real, page, size, extend, out);
}
static int file_shm_lock(sqlite3_file *f, int offset, int n, int flags) {
    fault_file *file = (fault_file *)f;
    return file->real->pMethods->xShmLock(file->real, offset, n, flags);
}
static void file_shm_barrier(sqlite3_file *f) {
    fault_file *file = (fault_file *)f;
    file->real->pMethods->xShmBarrier(file->real);
}
static int file_shm_unmap(sqlite3_file *f, int delete) {
    fault_file *file = (fault_file *)f;
    return file->real->pMethods->xShmUnmap(file->real, delete);
}

/* Version 2: no memory-mapped reads, which no fault could reach. */
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_device,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

/* The VFS */

static int vfs_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out) {
    fault_vfs *vfs = (fault_vfs *)v;
    fault_file *file = (fault_file *)f;
    file->base.pMethods = NULL;
    file->vfs = vfs;
    file->kind = kind_of(flags);
    file->real = (sqlite3_file *)(file + 1);
    int code = atomic_load(&vfs->opens.code[file->kind]);
    if (code) return code;
    if (atomic_load(&vfs->read_only) && flags & SQLITE_OPEN_READWRITE && name)
        flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
    code = vfs->real->xOpen(vfs->real, name, file->real, flags, out);
    if (file->real->pMethods) file->base.pMethods = &methods;
    return code;
}

static int vfs_delete(sqlite3_vfs *v, const char *name, int sync) {
    fault_vfs *vfs = (fault_vfs *)v;
    if (atomic_load(&vfs->read_only)) return SQLITE_IOERR_DELETE;
    return vfs->real->xDelete(vfs->real, name, sync);
}

static int vfs_access(sqlite3_vfs *v, const char *name, int flags, int *out) {
    fault_vfs *vfs = (fault_vfs *)v;
    return vfs->real->xAccess(vfs->real, name, flags, out);
}
static int vfs_full_path(sqlite3_vfs *v, const char *name, int size, char *out) {
    fault_vfs *vfs = (fault_vfs *)v;
    return vfs->real->xFullPathname(vfs->real, name, size, out);
}
static int vfs_random(sqlite3_vfs *v, int size, char *out) {
    fault_vfs *vfs = (fault_vfs *)v;
    return vfs->real->xRandomness(vfs->real, size, out);
}
static int vfs_sleep(sqlite3_vfs *v, int microseconds) {
    fault_vfs *vfs = (fault_vfs *)v;
    return vfs->real->xSleep(vfs->real, microseconds);
}
static int vfs_time(sqlite3_vfs *v, double *out) {
    fault_vfs *vfs = (fault_vfs *)v;
    return vfs->real->xCurrentTime(vfs->real, out);
}
static int vfs_time64(sqlite3_vfs *v, sqlite3_int64 *out) {
    fault_vfs *vfs = (fault_vfs *)v;
    return vfs->real->xCurrentTimeInt64(vfs->real, out);
}
static int vfs_last_error(sqlite3_vfs *v, int size, char *out) {
    fault_vfs *vfs = (fault_vfs *)v;
    return vfs->real->xGetLastError(vfs->real, size, out);
}

fault_vfs *fault_vfs_create(const char *name) {
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    fault_vfs *vfs = calloc(1, sizeof *vfs);
    char *copy = strdup(name);
    if (!real || !vfs || !copy) {
        free(vfs);
        free(copy);
        return NULL;
    }
    vfs->real = real;
    atomic_store(&vfs->space, -1);
    vfs->base = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = (int)sizeof(fault_file) + real->szOsFile,
        .mxPathname = real->mxPathname,
        .zName = copy,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_path,
        .xRandomness = vfs_random,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_time,
        .xCurrentTimeInt64 = vfs_time64,
        .xGetLastError = vfs_last_error,
    };
    if (sqlite3_vfs_register(&vfs->base, 0) != SQLITE_OK) {
        free(copy);
        free(vfs);
        return NULL;
    }
    return vfs;
}

void fault_vfs_destroy(fault_vfs *vfs) {
    sqlite3_vfs_unregister(&vfs->base);
    free((void *)vfs->base.zName);
    free(vfs);
}

long long fault_vfs_syncs(fault_vfs *vfs, int kinds) { return sum(vfs->syncs, kinds); }
long long fault_vfs_bytes_written(fault_vfs *vfs, int kinds) { return sum(vfs->written, kinds); }
void fault_vfs_fail_writes(fault_vfs *vfs, int kinds, int code) { set_fault(&vfs->writes, kinds, code); }
void fault_vfs_fail_syncs(fault_vfs *vfs, int kinds, int code) { set_fault(&vfs->syncing, kinds, code); }
void fault_vfs_fail_reads(fault_vfs *vfs, int kinds, int code) { set_fault(&vfs->reads, kinds, code); }
void fault_vfs_fail_opens(fault_vfs *vfs, int kinds, int code) { set_fault(&vfs->opens, kinds, code); }
void fault_vfs_set_space(fault_vfs *vfs, long long bytes) { atomic_store(&vfs->space, bytes); }
void fault_vfs_set_read_only(fault_vfs *vfs, int read_only) { atomic_store(&vfs->read_only, read_only); }
