/// What a vendor is asked.
package struct VendorRequest: Sendable {
    package enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package var method: Method
    /// Behind the address: `/v1/attestationData`. From our own code or escaped by it, never from a caller.
    package var path: String
    /// May hold secrets: they are never logged, and no error quotes them.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(
        _ method: Method, _ path: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        (self.method, self.path, self.headers, self.body) = (method, path, headers, body)
    }
}
