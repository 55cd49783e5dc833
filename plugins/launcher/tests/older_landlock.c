/* Linked into a launcher of the tests: the kernel says that it has the Landlock ABI of the macro OLDER_ABI, and refuses what that ABI
 * does not know, as an older kernel does. The rest goes to the real kernel, which takes the structures of older ABIs as they are. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* From the kernel's documentation: the size of the structure and the rights of its members, for ABI 1 to 6. */
struct abi {
    size_t size;
    uint64_t rights[3];
};

static const struct abi abis[] = {
    {8, {0x1fff, 0, 0}},  {8, {0x3fff, 0, 0}},  {8, {0x7fff, 0, 0}},
    {16, {0x7fff, 3, 0}}, {16, {0xffff, 3, 0}}, {24, {0xffff, 3, 3}},
};

static int refusal(const uint64_t *wanted, size_t size) {
    const struct abi *known = &abis[OLDER_ABI - 1];
    if (size > known->size) return E2BIG;
    for (size_t index = 0; index < size / sizeof *wanted; index++)
        if ((wanted[index] & ~known->rights[index]) != 0) return EINVAL;
    return 0;
}

long __wrap_syscall(long number, ...) {
    long values[5];
    va_list arguments;
    va_start(arguments, number);
    for (size_t index = 0; index < 5; index++) values[index] = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_landlock_create_ruleset && values[0] == 0) return OLDER_ABI;
    if (number == SYS_landlock_create_ruleset) {
        int error = refusal((const uint64_t *)values[0], (size_t)values[1]);
        if (error != 0) return errno = error, -1;
    }
    return __real_syscall(number, values[0], values[1], values[2], values[3], values[4]);
}
