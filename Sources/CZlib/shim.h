#include <zlib.h>

/* inflateInit2 is a macro, which Swift does not see. The window of gzip: 15 bits, and 16 for its header and trailer (RFC 1952). */
static inline int assay_gzip_begin(z_stream *stream) { return inflateInit2(stream, 15 + 16); }
