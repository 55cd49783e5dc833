#include <sqlite3.h>

/* sqlite3_config takes variable arguments, which Swift cannot call. Turns off the statistics of SQLite's allocator, whose
 * global lock is taken with each allocation. Only before the first use of SQLite; refused, without harm, after it. */
static inline int assay_sqlite_configure(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/* sqlite3_db_config takes variable arguments too. Gives the connection so many slots of so many bytes for what it allocates
 * for a moment, such as the values bound to statements. Only before the first statement; refused, without harm, after it. */
static inline int assay_sqlite_lookaside(sqlite3 *db, int size, int slots) {
    return sqlite3_db_config(db, SQLITE_DBCONFIG_LOOKASIDE, (void *)0, size, slots);
}

/* The same once more. The last connection that closes leaves the write-ahead log as it is: for whoever only looks. */
static inline int assay_sqlite_keep_log(sqlite3 *db) {
    return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
