import AssayAPI
import AssayCore
import AssayRPC
import Testing

@testable import AssayHTTP

@Suite("OpenAPI document over HTTP")
struct OpenAPIResourceTests {
    private let resource = OpenAPIResource()
    private let peer = RPCPeer.tcp(address: "192.0.2.1", port: 1, isLoopback: false)

    @Test("is the file at /openapi.json, with the tag of its bytes")
    func file() async throws {
        #expect(resource.serves("/openapi.json"))
        let file = try await resource.file(HTTPFileRequest(path: "/openapi.json", peer: peer))
        #expect(file?.contentType == "application/json" && file?.body == OpenAPIDocument.json())
        #expect(file?.etag == EntityTag.of(OpenAPIDocument.json()) && file?.maxAge == nil)
    }

    @Test(
        "has no other path", arguments: ["", "/", "/openapi", "/openapi.json/", "/openapi.jso\u{6E}\u{301}", "//openapi.json"])
    func others(_ path: String) async throws {
        #expect(!resource.serves(path))
        #expect(try await resource.file(HTTPFileRequest(path: path, peer: peer)) == nil)
    }
}
