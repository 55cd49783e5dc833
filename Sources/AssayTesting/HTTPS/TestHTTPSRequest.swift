/// A request as the test server got it.
public struct TestHTTPSRequest: Hashable, Sendable {
    public struct Header: Hashable, Sendable {
        public let name: String
        public let value: String
    }

    public let method: String
    /// With the query, where there is one.
    public let path: String
    /// In order; a name may stand twice.
    public let headers: [Header]
    public let body: [UInt8]
    /// Counts the connections of the server from 1: requests of one number came on the same connection.
    public let connection: Int

    /// The first header of that name, in whatever case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    public var text: String { String(decoding: body, as: UTF8.self) }
}
