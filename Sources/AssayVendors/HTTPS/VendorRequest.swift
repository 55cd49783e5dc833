/// A request to a vendor.
package struct VendorRequest: Sendable {
    package enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package var method: Method
    /// Appended to the address: `/v1/attestationData`. Made by our own code or escaped by it, never taken from a caller.
    package var path: String
    /// May contain secrets: they are never logged, and no error quotes them.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(
        _ method: Method, _ path: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        (self.method, self.path, self.headers, self.body) = (method, path, headers, body)
    }
}
