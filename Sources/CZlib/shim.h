#include <zlib.h>

/* inflateInit2 and deflateInit2 are macros, which Swift does not see. The window is 15 bits for zlib (RFC 1950), and 16 more for the header and trailer
   of gzip (RFC 1952). */
static inline int assay_inflate_begin(z_stream *stream, int window) { return inflateInit2(stream, window); }

static inline int assay_deflate_begin(z_stream *stream, int level, int window) {
    return deflateInit2(stream, level, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
}
