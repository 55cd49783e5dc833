/* As little as tests need: CHECK counts and reports, and TEST_END is main's result. */
#ifndef ASSAY_TEST_H
#define ASSAY_TEST_H

#include <stdio.h>

static unsigned checks, failures;

#define CHECK(condition)                                                                     \
    do {                                                                                     \
        checks++;                                                                            \
        if (!(condition)) {                                                                  \
            failures++;                                                                      \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);          \
        }                                                                                    \
    } while (0)

#define TEST_END(name) \
    (printf("%s: %u checks, %u failed\n", name, checks, failures), checks == 0 || failures > 0)

#endif
