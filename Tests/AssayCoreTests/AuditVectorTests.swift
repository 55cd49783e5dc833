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
    /// Empty where no claims are kept.
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
    @Test("records have the bytes of the vectors, and are read from them")
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

    @Test("claims have the digests of the vectors")
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

    @Test("the chain has the heads of the vectors, and signed heads their message")
    func chain() throws {
        let vectors = try AuditVector.all()
        #expect(vectors.count == 3)
        var chain = AuditChain()
        for vector in vectors {
            let time = Timestamp(unixMilliseconds: vector.timeUnixMs)
            chain.append(try vector.record().bytes, at: time)
            #expect(chain.number == vector.number)
            #expect(Hex.encode(chain.head) == vector.headHex)
            #expect(Hex.encode(SignedAuditHead.message(chain, at: time)) == vector.signedMessageHex)
        }
    }

    @Test("every word for a fault stands on the page, and no other")
    func words() throws {
        let page = try String(contentsOf: docs.appending(path: "audit.md"), encoding: .utf8)
        let onPage = page.matches(of: /(?m)^\| `([a-z_]+)` \|/).map { String($0.1) }
        #expect(onPage.sorted() == AuditFault.Kind.allCases.map(\.rawValue).sorted())
    }

    @Test("what is not the encoding of a record is not read as one")
    func malformed() throws {
        let bytes = try #require(try AuditVector.all().first?.record().bytes)
        for length in bytes.indices { #expect(AuditRecord(decoding: Array(bytes.prefix(length))) == nil, "\(length) bytes") }
        #expect(AuditRecord(decoding: bytes + [0]) == nil)
        // Whatever is read has one encoding.
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
