#include <sqlite3.h>

/* sqlite3_config takes variable arguments, which Swift cannot call. Turns off the statistics of SQLite's allocator, whose
 * global lock is taken with each allocation. Only before the first use of SQLite; refused, without harm, after it. */
static inline int assay_sqlite_configure(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
