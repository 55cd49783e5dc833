/// What a vendor answered: bytes that nobody vouches for beyond the connection they came on.
package struct VendorAnswer: Sendable {
    /// Of the headers, those that somebody reads.
    package struct Headers: Hashable, Sendable {
        /// Longer values are as good as absent, in bytes.
        static let lengthLimit = 1024

        package var cacheControl: String?
        package var eTag: String?
        package var age: String?
        package var lastModified: String?
        package var retryAfter: String?
        package var date: String?

        package init() {}
    }

    package let status: Int
    package let headers: Headers
    /// At most what the client allows.
    package let body: [UInt8]

    package init(status: Int, headers: Headers = Headers(), body: [UInt8] = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

extension VendorAnswer {
    /// The body as text; `nil` if it is no UTF-8.
    package var text: String? { String(validating: body, as: UTF8.self) }
}
