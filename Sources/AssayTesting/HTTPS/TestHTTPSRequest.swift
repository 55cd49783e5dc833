/// A request that the test server received.
public struct TestHTTPSRequest: Hashable, Sendable {
    public struct Header: Hashable, Sendable {
        public let name: String
        public let value: String
    }

    public let method: String
    /// The path with the query.
    public let path: String
    /// In order. A name may occur several times.
    public let headers: [Header]
    public let body: [UInt8]
    /// The number of the connection, counted from 1 for each server.
    public let connection: Int

    /// The first header with a name, in upper or lower case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    public var text: String { String(decoding: body, as: UTF8.self) }
}
