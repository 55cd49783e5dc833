/* Landlock as of ABI 7, from the kernel's documentation (userspace-api/landlock): headers of distributions stop earlier. */
#ifndef ASSAY_LAUNCHER_LANDLOCK_ABI_H
#define ASSAY_LAUNCHER_LANDLOCK_ABI_H

#include <stdint.h>

enum { LANDLOCK_NEWEST_KNOWN_ABI = 7 };

/* File rights of ABI 1 are bits 0 to 12; each later ABI adds one. */
#define FILE_EXECUTE (UINT64_C(1) << 0)
#define FILE_WRITE (UINT64_C(1) << 1)
#define FILE_READ (UINT64_C(1) << 2)
#define FOLDER_READ (UINT64_C(1) << 3)
#define FILE_RIGHTS_ABI_1 ((UINT64_C(1) << 13) - 1)
#define FILE_REFER (UINT64_C(1) << 13)        /* ABI 2, Linux 5.19 */
#define FILE_TRUNCATE (UINT64_C(1) << 14)     /* ABI 3, Linux 6.2 */
#define FILE_DEVICE_IOCTL (UINT64_C(1) << 15) /* ABI 5, Linux 6.10 */

#define TCP_BIND (UINT64_C(1) << 0) /* ABI 4, Linux 6.7 */
#define TCP_CONNECT (UINT64_C(1) << 1)

#define SCOPE_ABSTRACT_SOCKETS (UINT64_C(1) << 0) /* ABI 6, Linux 6.12 */
#define SCOPE_SIGNALS (UINT64_C(1) << 1)

/* ABI 7, Linux 6.15: refusals after exec go to the audit log. */
#define RESTRICT_LOG_AFTER_EXEC (UINT32_C(1) << 1)

enum { CREATE_RULESET_ASKS_ABI = 1 };
enum { RULE_PATH_BENEATH = 1, RULE_TCP_PORT = 2 };

struct ruleset_rights {
    uint64_t files;
    uint64_t tcp;    /* ABI 4 */
    uint64_t scoped; /* ABI 6 */
};

struct path_rule {
    uint64_t rights;
    int32_t parent;
} __attribute__((packed));

struct port_rule {
    uint64_t rights;
    uint64_t port;
};

#endif
