import ArgumentParser
import AssayAPI
import Foundation
import SwiftProtobuf

/// An accepted case of a plugin's tests, in the form of `plugins/sdk/tests/README.md`.
struct PluginCase {
    let format: String
    /// JSON.
    let configuration: [UInt8]
    let request: Assay_Plugin_V1_AppraiseRequest

    /// Reads a case of a file.
    static func named(_ name: String, in file: String) throws -> PluginCase {
        let found = try JSONDecoder().decode(Cases.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
        let object = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: file))) as? [String: Any]
        let objects = object?["cases"] as? [[String: Any]] ?? []
        guard let index = found.cases.firstIndex(where: { $0.id == name }), index < objects.count else {
            throw ValidationError("\(file) has no case \(name).")
        }
        let one = found.cases[index]
        guard one.expect.verdict == "ACCEPTED" else { throw ValidationError("The case \(name) is not one that is accepted.") }
        let configuration = try JSONSerialization.data(withJSONObject: objects[index]["configuration"] ?? [String: Any]())
        return PluginCase(format: one.format, configuration: Array(configuration), request: one.request)
    }

    private struct Cases: Decodable {
        let cases: [Case]
    }

    private struct Case: Decodable {
        struct Expected: Decodable {
            let clientData: Data
            let payloadSHA256: Data
            let signals: Data?

            enum CodingKeys: String, CodingKey {
                case clientData = "client_data_b64"
                case payloadSHA256 = "payload_sha256_b64"
                case signals = "signals_b64"
            }
        }
        struct Expect: Decodable {
            let verdict: String
        }

        let id: String
        let format: String
        let app: String
        let body: Data
        let nowUnixMilliseconds: Int64
        let expected: Expected
        let expect: Expect

        enum CodingKeys: String, CodingKey {
            case id, format, app, expected, expect
            case body = "body_b64"
            case nowUnixMilliseconds = "now_unix_ms"
        }

        var request: Assay_Plugin_V1_AppraiseRequest {
            .with {
                ($0.callToken, $0.requestID, $0.purpose) = (Data(count: 16), Data(count: 16), .assert)
                ($0.format, $0.app, $0.body, $0.nowUnixMs) = (Data(format.utf8), Data(app.utf8), body, nowUnixMilliseconds)
                $0.expected = .with {
                    ($0.clientData, $0.payloadSha256) = (expected.clientData, expected.payloadSHA256)
                    $0.signals = expected.signals ?? Data()
                }
            }
        }
    }
}
