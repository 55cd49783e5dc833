import AssayCore
import Foundation
import Testing

/// A row of the chain in `docs/vectors/audit-v1.json`.
struct AuditVector: Decodable {
    let number: Int64
    let timeUnixMs: Int64
    let requestIdHex: String
    let caller: String
    let app: String
    let purpose: String
    let deviceHex: String
    let assurance: UInt8
    let evidenceDigestHex: String
    let policyDigestHex: String
    let saltHex: String
    let claimsHex: String
    /// Empty if no claims are kept.
    let claimsDigestHex: String
    let simulated: Bool
    let recordHex: String
    let headHex: String
    let signedMessageHex: String

    static func all() throws -> [AuditVector] {
        struct File: Decodable { let vectors: [AuditVector] }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let data = try Data(contentsOf: docs.appending(path: "vectors/audit-v1.json"))
        return try decoder.decode(File.self, from: data).vectors
    }

    func record() throws -> AuditRecord {
        AuditRecord(
            requestID: try #require(Hex.decode(requestIdHex)), caller: caller, app: try #require(AppID(app)),
            purpose: try #require(Purpose.allCases.first { $0.name == purpose }),
            device: DeviceID(bytes: try #require(Hex.decode(deviceHex))),
            assurance: try #require(Assurance(rawValue: assurance)),
            evidenceDigest: try #require(Hex.decode(evidenceDigestHex)),
            policyDigest: try #require(Hex.decode(policyDigestHex)), simulated: simulated,
            claimsDigest: try #require(Hex.decode(claimsDigestHex)))
    }
}

@Suite("Audit vectors")
struct AuditVectorTests {
    @Test("Audit records encode to the bytes of the vectors and decode from them")
    func records() throws {
        for vector in try AuditVector.all() {
            let (record, bytes) = (try vector.record(), try #require(Hex.decode(vector.recordHex)))
            #expect(record.bytes == bytes)
            let read = try #require(AuditRecord(decoding: bytes))
            #expect(read == record && read.caller == vector.caller && read.app.text == vector.app)
            #expect(read.requestID == record.requestID && read.device == record.device && read.purpose == record.purpose)
            #expect(read.assurance == record.assurance && read.simulated == record.simulated)
            #expect(read.evidenceDigest == record.evidenceDigest && read.policyDigest == record.policyDigest)
            #expect(read.claimsDigest == record.claimsDigest)
        }
    }

    @Test(
        "The record of a rejection that was not enforced has a version of its own, which is neither an acceptance's nor a change's"
    )
    func notEnforced() throws {
        let accepted = try #require(try AuditVector.all().first).record()
        let record = AuditRecord(
            requestID: accepted.requestID, caller: accepted.caller, app: accepted.app, purpose: accepted.purpose,
            device: accepted.device, assurance: .none, evidenceDigest: accepted.evidenceDigest,
            policyDigest: accepted.policyDigest, simulated: true, wouldReject: "patch_level_too_old")
        #expect(record.bytes[0] == 3 && accepted.bytes[0] == 1)
        let read = try #require(AuditRecord(decoding: record.bytes))
        #expect(read == record && read.wouldReject == "patch_level_too_old" && read.assurance == .none)
        #expect(AuditEntry(decoding: record.bytes) == .verdict(record) && AuditChange(decoding: record.bytes) == nil)
        for length in record.bytes.indices { #expect(AuditRecord(decoding: Array(record.bytes.prefix(length))) == nil) }
        for version in [0, 1, 2, 4] as [UInt8] { #expect(AuditRecord(decoding: [version] + record.bytes.dropFirst()) == nil) }
        #expect(AuditRecord(decoding: [3] + accepted.bytes.dropFirst()) == nil)
    }

    @Test("Audit claims have the digests of the vectors")
    func claims() throws {
        let kept = try AuditVector.all().filter { !$0.claimsDigestHex.isEmpty }
        #expect(!kept.isEmpty)
        for vector in kept {
            let claims = AuditClaims(
                salt: try #require(Hex.decode(vector.saltHex)), claims: try #require(Hex.decode(vector.claimsHex)))
            #expect(Hex.encode(claims.digest) == vector.claimsDigestHex)
        }
        let (one, two) = (AuditClaims(Claims()), AuditClaims(Claims()))
        #expect(one.digest != two.digest && one.salt.count == 16, "equal claims cannot be told by their digests")
    }

    @Test("The audit chain has the heads of the vectors, and signed heads have their message")
    func chain() throws {
        let vectors = try AuditVector.all()
        #expect(vectors.count == 3)
        var chain = AuditChain()
        for vector in vectors {
            let time = Timestamp(unixMilliseconds: vector.timeUnixMs)
            chain.append(try vector.record().bytes, at: time)
            #expect(chain.number == vector.number)
            #expect(Hex.encode(chain.head) == vector.headHex)
            #expect(Hex.encode(SignedAuditHead.message(chain, from: nil, at: time)) == vector.signedMessageHex)
        }
        let changes = try AuditChangeVector.all()
        #expect(Set(changes.map(\.kind)) == Set(AuditChange.Kind.allCases.map(\.rawValue)), "every kind has a vector")
        for vector in changes {
            chain.append(try vector.change().bytes, at: Timestamp(unixMilliseconds: vector.timeUnixMs))
            #expect(chain.number == vector.number)
            #expect(Hex.encode(chain.head) == vector.headHex)
        }
    }

    @Test("Signed heads have the messages of the vectors, in each version")
    func signedHeads() throws {
        let vectors = try SignedHeadVector.all()
        #expect(Set(vectors.map(\.version)) == [1, 2, 3])
        for vector in vectors {
            let message = SignedAuditHead.message(
                try vector.chain(), of: try vector.auditWriter(), from: try vector.start(),
                at: Timestamp(unixMilliseconds: vector.timeUnixMs))
            #expect(Hex.encode(message) == vector.messageHex)
        }
    }

    @Test("Audit changes encode to the bytes of the vectors and decode from them")
    func changes() throws {
        for vector in try AuditChangeVector.all() {
            let (change, bytes) = (try vector.change(), try #require(Hex.decode(vector.recordHex)))
            #expect(change.bytes == bytes, "record \(vector.number)")
            let read = try #require(AuditChange(decoding: bytes))
            #expect(read == change && read.kind == change.kind && read.origin == change.origin && read.app == change.app)
            #expect(read.device == change.device && read.target == change.target && read.digest == change.digest)
            #expect(read.count == change.count && read.flag == change.flag && read.name == change.name)
            #expect(read.reason == change.reason && AuditRecord(decoding: bytes) == nil)
            #expect(AuditEntry(decoding: bytes) == .change(change))
        }
    }

    @Test("An import has the digest of the vector")
    func importDigest() throws {
        let vector = try #require(try AuditChangeVector.all().first { !($0.devices ?? []).isEmpty })
        let devices = try (vector.devices ?? []).map { try $0.device() }
        let change = try #require(
            AuditChange.imports(
                of: devices, devices.map { .added($0.id) }, ChangeContext(.caller(vector.caller), at: .distantPast)
            ).first)
        #expect(Hex.encode(change.bytes) == vector.recordHex)
    }

    @Test("Other bytes do not decode as a change, and each change has one encoding")
    func malformedChanges() throws {
        for vector in try AuditChangeVector.all() {
            let bytes = try vector.change().bytes
            for length in bytes.indices { #expect(AuditChange(decoding: Array(bytes.prefix(length))) == nil) }
            #expect(AuditChange(decoding: bytes + [0]) == nil)
            for index in bytes.indices {
                for value in [0, 1, 2, 3, 4, 8, 0x80, 0xFF] as [UInt8] {
                    var changed = bytes
                    changed[index] = value
                    if let change = AuditChange(decoding: changed) { #expect(change.bytes == changed, "byte \(index)") }
                }
            }
            for (index, value) in [(0, 1), (0, 3), (1, 0), (1, 0x7F), (2, 0), (2, 6), (3, 2), (4, 0x80)] as [(Int, UInt8)] {
                var changed = bytes
                changed[index] = value
                #expect(AuditChange(decoding: changed) == nil, "byte \(index) as \(value)")
            }
        }
    }

    @Test("The page documents each kind of fault and no other")
    func words() throws {
        let page = try String(contentsOf: docs.appending(path: "operate/audit.md"), encoding: .utf8)
        let onPage = page.matches(of: /(?m)^\| `([a-z_]+)` \|/).map { String($0.1) }
        #expect(onPage.sorted() == AuditError.Kind.allCases.map(\.rawValue).sorted())
    }

    @Test("Other bytes do not decode as an audit record")
    func malformed() throws {
        let bytes = try #require(try AuditVector.all().first?.record().bytes)
        for length in bytes.indices { #expect(AuditRecord(decoding: Array(bytes.prefix(length))) == nil, "\(length) bytes") }
        #expect(AuditRecord(decoding: bytes + [0]) == nil)
        // Each decoded record has one encoding.
        for index in bytes.indices {
            for value in [0, 1, 2, 5, 0x80, 0xFF] as [UInt8] {
                var changed = bytes
                changed[index] = value
                if let record = AuditRecord(decoding: changed) { #expect(record.bytes == changed, "byte \(index)") }
            }
        }
        for (index, value) in [(0, 2), (1, 0), (1, 9), (2, 5), (3, 2), (4, 0x80)] as [(Int, UInt8)] {
            var changed = bytes
            changed[index] = value
            #expect(AuditRecord(decoding: changed) == nil, "byte \(index) as \(value)")
        }
    }
}
