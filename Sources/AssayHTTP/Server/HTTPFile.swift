import AssayCore

/// A file that is read over HTTP, beside the calls.
package struct HTTPFile: Hashable, Sendable {
    package var contentType: String
    package var body: [UInt8]
    /// The entity tag (RFC 9110 §8.8.3), with its quotation marks. It changes when the body does.
    package var etag: String
    /// How long a cache may keep it without asking again; `nil`: it asks each time.
    package var maxAge: Duration?
    /// Whether web pages of every origin may read it (Fetch, "CORS protocol").
    package var isForEveryOrigin = false
    /// Whether another file is read at the same path with another `Accept`, which caches then tell apart (RFC 9110 §12.5.5).
    package var dependsOnAccept = false

    /// - Parameter etag: `nil`: that of the body's bytes, which are hashed.
    package init(contentType: String, body: [UInt8], etag: String? = nil, maxAge: Duration? = nil) {
        (self.contentType, self.body, self.maxAge) = (contentType, body, maxAge)
        self.etag = etag ?? EntityTag.of(body)
    }
}
