import AssayAPI
import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

@testable import AssayHTTP

/// What an honest client sends, and what the method answers.
enum UploadSamples {
    static let photo = Array("a photo".utf8)
    static let digest = SHA256Sample.of(photo)
    static let challenge = [UInt8](1...54)
    static let evidence = #"{"keySignature":{"keyId":"AAECAw==","algorithm":"ECDSA_P256_SHA256","signature":"BAUG"}}"#
    static let device = [UInt8](repeating: 0xD1, count: 16)
    static let requestID = [UInt8](repeating: 0x7E, count: 16)

    static let headers: [(name: String, value: String)] = [
        ("assay-app", "photos"), ("assay-challenge", Base64.url.encode(challenge)), ("assay-evidence", evidence),
    ]

    /// The honest headers with others in place of, or beside, those of the same name.
    static func headers(_ others: (name: String, value: String?)...) -> [(name: String, value: String)] {
        headers.filter { header in !others.contains { $0.name == header.name } }
            + others.compactMap { other in other.value.map { (name: other.name, value: $0) } }
    }

    static func accepted(_ payload: [UInt8]? = digest, _ change: (inout Assay_V1_Verdict) -> Void = { _ in }) throws -> [UInt8]
    {
        var verdict = Assay_V1_Verdict.with {
            $0.decision = .accepted
            $0.assurance = .hardware
            $0.deviceID = Data(device)
            $0.requestID = Data(requestID)
            $0.bound = .with {
                $0.mode = .clientData
                $0.payloadSha256 = Data(payload ?? [])
                $0.clientDataHash = Data(repeating: 1, count: 32)
            }
            $0.findings = [.with { $0.check = "nonce" }]
        }
        change(&verdict)
        return try verdict.serializedBytes()
    }

    static func rejected(_ reason: String, _ retry: Assay_V1_RetryClass, detail: String = "it is \"so\"") throws -> [UInt8] {
        try Assay_V1_Verdict.with {
            $0.decision = .rejected
            $0.reason = reason
            $0.detail = detail
            $0.check = "signature"
            $0.retry = retry
            $0.requestID = Data(requestID)
        }.serializedBytes()
    }
}
