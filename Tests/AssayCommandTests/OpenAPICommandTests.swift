import Foundation
import Testing

@testable import DaemonTesting

extension CommandTests {
    @Suite("assay openapi")
    struct OpenAPICommandTests {
        @Test("It prints docs/openapi.yaml, and the same as JSON with --format json")
        func formats() async throws {
            let yaml = try await Child.run("assay", ["openapi"])
            #expect(yaml.status == 0 && yaml.err.isEmpty, "\(yaml.err)")
            #expect(try yaml.out == Package.text("docs/openapi.yaml"), "run `make openapi`")
            let named = try await Child.run("assay", ["openapi", "--format", "yaml"])
            #expect(named.out == yaml.out)
            let json = try await Child.run("assay", ["openapi", "--format", "json"])
            #expect(json.status == 0 && json.lines.count == 1 && json.err.isEmpty, "\(json.err)")
            let document = try JSONSerialization.jsonObject(with: Data(json.out.utf8)) as? [String: Any]
            #expect(document?["openapi"] as? String == "3.1.0")
            let paths = try #require(document?["paths"] as? [String: Any])
            #expect(paths["/v1/attestation/verify"] != nil)
            for path in paths.keys { #expect(yaml.out.contains("\(path)"), "\(path)") }
        }

        @Test("Another form is wrong usage")
        func wrong() async throws {
            let ending = try await Child.run("assay", ["openapi", "--format", "xml"])
            #expect(ending.status == 64 && ending.out.isEmpty, "\(ending)")
        }
    }
}
