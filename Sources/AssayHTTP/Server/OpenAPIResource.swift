import AssayAPI

/// `/openapi.json`: the interface over HTTP as OpenAPI 3.1, for every peer that may connect.
package struct OpenAPIResource: HTTPResource {
    package static let path = "/openapi.json"

    private let document: HTTPFile

    /// Makes the document, which takes some milliseconds.
    package init() {
        document = HTTPFile(contentType: "application/json", body: OpenAPIDocument.json())
    }

    package func serves(_ path: String) -> Bool { path == Self.path }

    package func file(_ request: HTTPFileRequest) async throws(HTTPFileRefusal) -> HTTPFile? {
        serves(request.path) ? document : nil
    }
}
