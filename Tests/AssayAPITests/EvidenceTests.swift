import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf
import Testing

@Suite("Evidence")
struct EvidenceTests {
    @Test("comes back from its message as it was", arguments: [EvidenceFormat.appAttestAttestation, .appAttestAssertion])
    func roundTrip(_ format: EvidenceFormat) throws {
        let evidence = Evidence(format: format, keyID: bytes(32, 1), body: bytes(500, 2))
        var request = try sampleRequest().message
        request.evidence = [try #require(evidence.message)]
        let back = try #require(try read(request).evidence.first)
        #expect(back == evidence)
        #expect(back.digest == evidence.digest)
    }

    @Test(
        "of other platforms comes back from its message as it was",
        arguments: [
            Evidence(format: .keyAttestation, keyID: [], body: Evidence.join([bytes(300, 1), bytes(200, 2), bytes(100, 3)])),
            Evidence(format: .playIntegrity, keyID: [], body: Array("a.b.c.d.e".utf8)),
            Evidence(format: .keySignature, keyID: bytes(32, 4), body: Evidence.join([[3], bytes(256, 5)])),
            Evidence(format: .safetyNet, keyID: [], body: Array("a.b.c".utf8)),
            Evidence(format: .deviceCheck, keyID: [], body: bytes(2000, 6)),
        ])
    func otherPlatforms(_ evidence: Evidence) throws {
        var request = try sampleRequest().message
        request.evidence = [try #require(evidence.message)]
        #expect(try read(request).evidence == [evidence])
    }

    @Test(
        "of every kind that can be sent has a message that comes back as it was, with all bytes and with none",
        arguments: EvidenceKind.all.filter { $0.message != nil })
    func everyKind(_ kind: EvidenceKind) throws {
        let layout = try #require(kind.message?.layout)
        let samples: [(keyID: [UInt8], body: [UInt8])] =
            switch layout {
            case .keyAndBytes: [(bytes(32, 1), Array(0...255)), ([], [])]
            case .bytes: [([], Array(0...255)), ([], [])]
            case .text: [([], Array("a.b\u{e9}".utf8)), ([], [])]
            case .certificates: [([], Evidence.join([bytes(300, 1), [], bytes(1, 2)])), ([], [])]
            case .signature: [(bytes(32, 1), Evidence.join([[9], bytes(300, 2)])), ([], Evidence.join([[0], []]))]
            // Alone in its request and without a challenge: "Certificate bundles on the wire".
            case .bundle: []
            // Without a challenge: "of a capture that was signed offline".
            case .offline: []
            }
        for (keyID, body) in samples {
            let evidence = Evidence(format: kind.format, keyID: keyID, body: body)
            var request = try sampleRequest().message
            request.evidence = [try #require(evidence.message)]
            let back = try #require(try read(request).evidence.first)
            #expect(back == evidence && back.digest == evidence.digest, "\(body.count) bytes")
        }
    }

    @Test("of a capture that was signed offline comes back as it was, alone, with the binding in the evidence")
    func offline() throws {
        for time in [0, 1, -1, 1_800_000_000_000, Int64.min, Int64.max] {
            let capture = OfflineCapture(capturedAt: Timestamp(unixMilliseconds: time), payloadHash: bytes(32, 7))
            let evidence = capture.evidence(keyID: bytes(32, 1), algorithm: 3, signature: bytes(300, 2))
            var message = try sampleRequest().message
            (message.evidence, message.challenge) = ([try #require(evidence.message)], Data())
            message.clearBinding()
            let back = try read(message)
            #expect(back.evidence == [evidence] && back.binding == .inEvidence, "\(time)")
            #expect(message.evidence[0].offlineSignature.capturedAtUnixMs == time)
        }
        for body in [[], Evidence.join([[1], [2], bytes(8), []]), Evidence.join([[1], [2], bytes(7), bytes(32, 7)])] {
            let isWhole = body.count == 4 * 4 + 1 + 1 + 8
            #expect((Evidence(format: .offlineSignature, keyID: [], body: body).message != nil) == isWhole, "\(body)")
        }
    }

    @Test("of a capture that was signed offline stands beside evidence of plugins, in any order, and beside no other")
    func besideOffline() throws {
        let capture = OfflineCapture(capturedAt: Timestamp(unixMilliseconds: 1), payloadHash: bytes(32, 7))
        let piece = try #require(capture.evidence(keyID: bytes(32, 1), algorithm: 1, signature: [2]).message)
        func read(_ evidence: [Assay_V1_Evidence]) throws -> VerificationRequest {
            var message = try sampleRequest().message
            (message.evidence, message.challenge) = (evidence, Data())
            message.clearBinding()
            return try AssayAPITests.read(message)
        }
        let parts = (0..<4).map { number in
            Assay_V1_Evidence.with { $0.pluginEvidence = .with { ($0.format, $0.body) = ("part.\(number)", Data([1])) } }
        }
        for count in 0...3 {
            let beside = Array(parts.prefix(count))
            for evidence in [[piece] + beside, beside + [piece]] {
                let request = try read(evidence)
                #expect(request.evidence.count == count + 1 && request.binding == .inEvidence)
            }
        }
        #expect(throws: RequestError.self) { try read([piece] + parts) }
        #expect(throws: RequestError.self) { try read([piece, piece]) }
        let others = [
            try #require(CertificateBundle.json([0x7B, 0x7D]).evidence.message),
            try #require(Evidence(format: .keySignature, keyID: bytes(32, 1), body: Evidence.join([[1], [2]])).message),
            .with { $0.deviceCheckToken = .with { $0.token = Data([1]) } },
        ]
        for other in others {
            for evidence in [[piece, other], [other, piece], [piece, parts[0], other]] {
                #expect(throws: RequestError.self) { try read(evidence) }
            }
        }
    }

    @Test("that its message cannot hold has none: other parts than a signature's, and kinds that are never sent")
    func noMessage() {
        for body in [[], Evidence.join([[1]]), Evidence.join([[1], [2], [3]]), Evidence.join([[], [2]]), [1]] {
            #expect(Evidence(format: .keySignature, keyID: [], body: body).message == nil, "\(body)")
        }
        #expect(Evidence(format: .certificateBundle, keyID: [], body: Evidence.join([[4], [1]])).message == nil)
        for kind in EvidenceKind.all where kind.message == nil {
            #expect(Evidence(format: kind.format, keyID: [], body: [1]).message == nil, "\(kind.format)")
        }
    }

    @Test("signed by an algorithm that no byte names has the unspecified one")
    func unknownAlgorithm() throws {
        var request = try sampleRequest().message
        request.evidence = [
            .with { $0.keySignature = .with { ($0.algorithm, $0.signature) = (.UNRECOGNIZED(100_000), Data(count: 4, of: 1)) } }
        ]
        let parts = try #require(try read(request).evidence.first?.parts)
        let contents = parts.map { [UInt8]($0) }
        #expect(contents == [[0], bytes(4, 1)])
    }

    @Test("of a format without a message travels as a plugin's, if its name is of the form")
    func unknownFormat() throws {
        let tarot = Evidence(format: EvidenceFormat(rawValue: "tarot"), keyID: [], body: [1, 2])
        let message = try #require(tarot.message)
        #expect(message.pluginEvidence.format == "tarot" && message.pluginEvidence.body == Data([1, 2]))
        var request = try sampleRequest().message
        request.evidence = [message]
        #expect(try read(request).evidence == [tarot])
        for name in ["", "Tarot", "ta rot", "tar\u{f6}t", String(repeating: "t", count: 65), "app-attest.receipt"] {
            #expect(Evidence(format: EvidenceFormat(rawValue: name), keyID: [], body: []).message == nil, "\(name)")
        }
        // A format with a message of its own has one form on the wire.
        for name in ["device-check.token", "app-attest.assertion", "", "Tarot"] {
            request.evidence = [.with { $0.pluginEvidence = .with { $0.format = name } }]
            #expect(throws: (any Error).self, "\(name)") { try read(request) }
        }
    }

    @Test("without a kind is refused")
    func unset() throws {
        let refused = try problem { $0.evidence = [Assay_V1_Evidence()] }
        #expect(refused == RequestError("evidence", "must be of a kind that this version knows"))
    }
}
