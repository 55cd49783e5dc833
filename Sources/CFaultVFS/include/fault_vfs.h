#ifndef FAULT_VFS_H
#define FAULT_VFS_H

/* An SQLite VFS that does what the default one does, counts syncs and writes, and fails on request.
 * For tests only. Each one is independent; all calls may come from any thread. */

typedef struct fault_vfs fault_vfs;

/* Kinds of files, to be or-ed. */
enum {
    FAULT_DATABASE = 1,
    FAULT_WAL = 2,
    FAULT_OTHER = 4,
    FAULT_ALL = 7
};

/* Registers a VFS under `name`, which is copied. NULL if there is no memory. It must outlive its connections. */
fault_vfs *fault_vfs_create(const char *name);
void fault_vfs_destroy(fault_vfs *vfs);

/* Calls of xSync that succeeded and bytes that were written, since the start, on files of these kinds. */
long long fault_vfs_syncs(fault_vfs *vfs, int kinds);
long long fault_vfs_bytes_written(fault_vfs *vfs, int kinds);

/* From now on the operation fails with that result code on files of these kinds; 0 lets it work again. */
void fault_vfs_fail_writes(fault_vfs *vfs, int kinds, int code);
void fault_vfs_fail_syncs(fault_vfs *vfs, int kinds, int code);
void fault_vfs_fail_reads(fault_vfs *vfs, int kinds, int code);
void fault_vfs_fail_opens(fault_vfs *vfs, int kinds, int code);

/* Like a disk with that many bytes left: then writes fail with SQLITE_FULL. A negative number ends it. */
void fault_vfs_set_space(fault_vfs *vfs, long long bytes);

/* Like a file system mounted read-only: files open for reading only, and writes to open ones fail. */
void fault_vfs_set_read_only(fault_vfs *vfs, int read_only);

#endif
