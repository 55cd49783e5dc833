// Counts the heap allocations of one process: a library to be preloaded, on Linux with glibc.
//
//     LD_PRELOAD=allocation-counter.so ALLOCATION_COUNTS=FILE PROGRAM
//
// While the program runs, FILE holds 64 rows of eight 64-bit integers in the machine's byte order: allocations (malloc, calloc,
// aligned ones), reallocations (realloc of a block), bytes that were asked for in both, and five that are unused. The sum over all
// rows is what the process did since its start. Each thread counts in a row of its own, as long as there are no more than 64, so that
// counting costs no more than an addition; Benchmarks/Sources/daemon-benchmark/AllocationCounts.swift reads the file.
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROWS = 64 };

struct row {
    _Atomic uint64_t allocations, reallocations, bytes;
    uint64_t unused[5];
};
_Static_assert(sizeof(struct row) == 64, "one row is one cache line");

// glibc's own allocator, by the names that do not lead back here.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

// Where the loader and others count until the file is there.
static struct row early[ROWS];
static struct row *_Atomic rows = early;
static _Atomic unsigned threads;
// Initial-exec: a thread-local variable of another kind would itself be allocated at its first use.
static _Thread_local unsigned row_number __attribute__((tls_model("initial-exec")));

static struct row *mine(void) {
    if (row_number == 0) row_number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % ROWS + 1;
    return atomic_load_explicit(&rows, memory_order_acquire) + row_number - 1;
}

static void add(_Atomic uint64_t *count, uint64_t amount) { atomic_fetch_add_explicit(count, amount, memory_order_relaxed); }

static void count_allocation(size_t size) {
    struct row *row = mine();
    add(&row->allocations, 1);
    add(&row->bytes, size);
}

void *malloc(size_t size) {
    count_allocation(size);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    count_allocation(count * size);
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    if (block == NULL) {
        count_allocation(size);
    } else if (size > 0) {
        struct row *row = mine();
        add(&row->reallocations, 1);
        add(&row->bytes, size);
    }
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    count_allocation(size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
    void *block = memalign(alignment, size);
    if (block == NULL) return ENOMEM;
    *result = block;
    return 0;
}

// The variables are taken away, so that programs which this one starts do not count in the same file.
__attribute__((constructor)) static void open_file(void) {
    const char *path = getenv("ALLOCATION_COUNTS");
    void *mapped = MAP_FAILED;
    int file = path == NULL ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0 && ftruncate(file, sizeof early) == 0) {
        mapped = mmap(NULL, sizeof early, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    if (mapped == MAP_FAILED) {
        perror("allocation-counter: cannot write the file that ALLOCATION_COUNTS names");
    } else {
        atomic_store_explicit(&rows, (struct row *)mapped, memory_order_release);
    }
    if (file >= 0) close(file);
    unsetenv("LD_PRELOAD");
    unsetenv("ALLOCATION_COUNTS");
}
