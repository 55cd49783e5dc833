import AssayAPI
import AssayCore
import AssaySimulator
import AssayTesting
import Foundation
import SwiftProtobuf

/// Makes requests by a seed: what a device or a caller does right, and what may go wrong with it. Keys, challenges and signatures are drawn in each
/// run; what is done with them follows from the seed.
struct RequestRecorder {
    let stage: Stage
    var numbers: SeededNumbers
    var phones: [Stage.Phone]
    var androids: [Stage.Android]
    var cameras: [Stage.Camera]
    var certified: [Stage.Certified]
    /// Challenges that earlier requests had.
    var used: [[UInt8]] = []
    /// Requests with an idempotency key, or of statements, to be sent again.
    var repeatable: [RecordedRequest] = []
    /// Serial numbers that are not provisioned yet.
    var nextSerial = ["fleet": 8, "legacy": 8]
    private var keys = 0

    init(_ stage: Stage, seed: UInt64) {
        (self.stage, numbers) = (stage, SeededNumbers(seed: seed))
        (phones, androids) = (stage.phones, stage.androids)
        (cameras, certified) = (stage.cameras, stage.certified)
    }

    mutating func record(_ count: Int) async throws -> [RecordedRequest] {
        var requests: [RecordedRequest] = []
        while requests.count < count { requests.append(try await next()) }
        return requests
    }

    private mutating func next() async throws -> RecordedRequest {
        switch below(100) {
        case 0..<5: return try issueChallenge()
        case 5..<17: return try await twisted("App Attest attestation", try await attestation())
        case 17..<40: return try await twisted("App Attest assertion", try await assertion())
        case 40..<49: return try await twisted("Android key attestation", try await keyAttestation())
        case 49..<58: return try await twisted("key signature", try await keySignature())
        case 58..<65: return try await twisted("Play Integrity token", try await integrityToken())
        case 65..<69: return try await twisted("several pieces", try await several())
        case 69..<77: return try await twisted("certificate bundle", try bundle())
        case 77..<80: return try await twisted("evidence of other kinds", try await other())
        case 80..<88: return try await certificateRequest()
        case 88..<92: return try fleetRequest()
        case 92..<96: return try registryRequest()
        case 96..<98: return repeatable.isEmpty ? try issueChallenge() : again()
        default: return try await mutant()
        }
    }

    // MARK: Drawing

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &numbers) }
    /// Whether one in so many is meant.
    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) } }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// Bytes of which one bit is another.
    mutating func flipped(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty else { return bytes }
        var bytes = bytes
        bytes[below(bytes.count)] ^= 1 << below(8)
        return bytes
    }

    mutating func payload() -> [UInt8]? { oneIn(4) ? nil : bytes(1 + below(40)) }

    /// A new challenge, or now and then a used one.
    mutating func challenge(_ app: String, _ purpose: Assay_V1_Purpose, context: [UInt8] = []) async throws -> [UInt8] {
        if oneIn(30), !used.isEmpty { return pick(Array(used.suffix(12))) }
        let challenge = try await stage.challenge(app, purpose, context: context, milliseconds: oneIn(60) ? 1 : 0)
        used.append(challenge)
        return challenge
    }

    mutating func newKey() -> Data {
        keys += 1
        return Data("request-\(keys)".utf8)
    }

    // MARK: Again

    /// A request that was sent before, or another one under its idempotency key.
    private mutating func again() -> RecordedRequest {
        let request = pick(repeatable)
        guard oneIn(3), request.method.path == ComparedMethod.verify.path,
            var message = try? Assay_V1_VerifyRequest(serializedBytes: request.message)
        else { return RecordedRequest(again: request) }
        message.subject = Data("dave".utf8)
        return (try? RecordedRequest("another request under a used key", .verify, message)) ?? request
    }

    /// Bytes of a request with flipped bits, or cut.
    private mutating func mutant() async throws -> RecordedRequest {
        let draft = oneIn(2) ? try await assertion() : try await keySignature()
        var bytes: [UInt8] = try draft.serializedBytes()
        if oneIn(4) {
            bytes.removeLast(below(bytes.count))
        } else {
            for _ in 0...below(3) { bytes = flipped(bytes) }
        }
        return RecordedRequest("bytes of a request, damaged", .verify, bytes: bytes)
    }
}
