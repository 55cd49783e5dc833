/* Linked into a launcher of the tests: the kernel says that it has the Landlock ABI of the macro OLDER_ABI, and everything that the
 * launcher then asks for goes to the real kernel, which takes the structures of older ABIs as they are. */
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long __wrap_syscall(long number, ...) {
    long values[5];
    va_list arguments;
    va_start(arguments, number);
    for (size_t index = 0; index < 5; index++) values[index] = va_arg(arguments, long);
    va_end(arguments);
    long result = __real_syscall(number, values[0], values[1], values[2], values[3], values[4]);
    int asks_abi = number == SYS_landlock_create_ruleset && values[0] == 0;
    return asks_abi && result > OLDER_ABI ? OLDER_ABI : result;
}
