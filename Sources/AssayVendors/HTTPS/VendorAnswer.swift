/// A vendor's answer: bytes that only the connection authenticates.
package struct VendorAnswer: Sendable {
    /// The headers that are used.
    package struct Headers: Hashable, Sendable {
        /// Longer values count as absent, in bytes.
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
    /// Limited by the client.
    package let body: [UInt8]

    package init(status: Int, headers: Headers = Headers(), body: [UInt8] = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

extension VendorAnswer {
    /// The body as text; `nil` if it is not UTF-8.
    package var text: String? { String(validating: body, as: UTF8.self) }
}
