/* Sentences for people, from formats whose arguments may be bytes from outside. */
#ifndef ASSAY_TEXT_H
#define ASSAY_TEXT_H

#include <stdarg.h>
#include <stddef.h>

enum { TEXT_LIMIT = 1024 /* plugin.proto: detail, message */ };

/* Fills `out`, of TEXT_LIMIT + 1 bytes, and returns the length. What is no UTF-8, and control characters, become "?": a message
 * with another text would be undecodable for its reader. */
size_t text_format(char out[TEXT_LIMIT + 1], const char *format, va_list arguments);

/* A line on stderr: "<name>: <sentence>". */
void text_complain(const char *name, const char *sentence);

#endif
