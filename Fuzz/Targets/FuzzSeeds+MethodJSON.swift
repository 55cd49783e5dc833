import AssayAPI
import Foundation
import SwiftProtobuf

extension FuzzSeeds {
    /// Requests with members of every type, and an answer, each behind the byte that chooses its method.
    static var methodJSON: [(name: String, bytes: [UInt8])] {
        get throws {
            let bytes = Data(repeating: 7, count: 32)
            let verify = Assay_V1_VerifyRequest.with { request in
                (request.app, request.purpose, request.challenge) = ("fuzz", .assert, bytes)
                request.evidence = [
                    .with { $0.appAttestAssertion = .with { ($0.keyID, $0.assertion) = (bytes, bytes) } },
                    .with { $0.androidKeyAttestation.certificates = [bytes, bytes] },
                ]
                request.binding.clientData.payloadSha256 = bytes
            }
            let watch = Assay_V1_WatchRequest.with { ($0.kinds, $0.codes, $0.resumeAfter) = (["verdict"], ["é\"\n"], .max) }
            let status = Assay_V1_StatusResponse.with { status in
                status.version = "0.1"
                status.traffic.rejected = ["a": 1, "b": .max]
            }
            let plugins = Assay_V1_ListPluginsResponse.with {
                $0.plugins = [.with { $0.metrics = ["a": 1.5, "b": .infinity] }]
            }
            return [
                ("method-json/verify", try seed(API.verify, verify.jsonUTF8Bytes())),
                ("method-json/watch", try seed(API.watch, watch.jsonUTF8Bytes())),
                ("method-json/status", try seed(API.status, status.serializedBytes())),
                ("method-json/plugins", try seed(API.listPlugins, plugins.serializedBytes())),
            ]
        }
    }

    private static func seed(_ method: some APIMethod, _ content: [UInt8]) -> [UInt8] {
        let position = API.all.firstIndex { $0.path == method.path } ?? 0
        return [UInt8(truncatingIfNeeded: position)] + content
    }
}
