import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// A client of HTTP/1.1 on this machine, for tests of servers. It keeps connections open, as many as requests have been under way at once.
public enum TestHTTP1Client {
    private static let client = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        return HTTPClient(configuration: configuration)
    }()

    /// - Parameter fields: beside those that frame the body, and the host.
    public static func post(
        port: Int, _ path: String, _ fields: [(String, String)], _ body: [UInt8]
    ) async throws -> (status: Int, body: [UInt8]) {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = .POST
        request.headers = HTTPHeaders(fields)
        request.body = .bytes(ByteBuffer(bytes: body))
        let answer = try await client.execute(request, timeout: .seconds(90))
        let bytes = try await answer.body.collect(upTo: 64 << 20)
        return (Int(answer.status.code), Array(bytes.readableBytesView))
    }
}
