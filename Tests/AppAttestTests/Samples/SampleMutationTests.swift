import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySimulator
import Testing

@testable import AppAttest

/// Changed simulated evidence is refused if the change affects bytes covered by Apple's certificate or the device's signature.
/// Only the receipt and unknown members are not covered; a change in them must not change any decision.
@Suite("Mutations of simulated evidence")
struct SampleMutationTests {
    /// A short receipt, so that most of the object is covered.
    static let changes = AttestationChanges.genuine.statement { $0["receipt"] = CBORWriter.bytes([1, 2, 3, 4]) }
        .object { $0.append("cdHash", CBORWriter.bytes([5, 6, 7])) }

    /// A verifier and a valid attestation that it accepts.
    struct Subject {
        let attestation: AttestationObject?
        let assertion: AssertionObject?
        let verifier: any EvidenceVerifier
        let evidence: Evidence
        let context: AppraisalContext
        let claims: Claims

        init(_ verifier: any EvidenceVerifier, _ evidence: Evidence, _ context: AppraisalContext) {
            (self.verifier, self.evidence, self.context) = (verifier, evidence, context)
            attestation = try? AttestationObject(parsing: evidence.body[...])
            assertion = try? AssertionObject(parsing: evidence.body[...])
            let appraisal = verifier.appraise(evidence, in: context)
            #expect(appraisal.failure == nil)
            claims = appraisal.claims
        }

        /// The claims, if it was accepted.
        func claims(_ body: [UInt8]) -> Claims? {
            let mutant = Evidence(format: evidence.format, keyID: evidence.keyID, body: body)
            let appraisal = verifier.appraise(mutant, in: context)
            if appraisal.failure != nil, case .none = appraisal.effect { return nil }
            return appraisal.claims
        }
    }

    static func attestation(_ osVersion: String, _ changes: AttestationChanges = changes) throws -> Subject {
        var phone = Sample.phone(osVersion)
        let key = phone.makeKey()
        return Subject(
            try Sample.attestationVerifier(), try Sample.attest(key, changes: changes), Sample.context(nil))
    }

    static func assertion(_ osVersion: String, _ changes: AssertionChanges = .genuine) throws -> Subject {
        var phone = Sample.phone(osVersion)
        var key = phone.makeKey()
        let device = try Sample.device(try Sample.register(key))
        return Subject(
            try Sample.assertionVerifier(), try Sample.assert(&key, changes: changes), Sample.context(device))
    }

    /// Appraises a mutant of an attestation. It may pass only if all covered bytes are read as before.
    static func judgeAttestation(_ mutant: [UInt8], of subject: Subject, _ what: @autoclosure () -> String) throws -> Bool {
        let original = try #require(subject.attestation)
        let read = try? AttestationObject(parsing: mutant[...])
        let isCovered =
            read?.certificates != original.certificates || read?.authenticatorData != original.authenticatorData
            || read?.format != original.format || read?.receipt.isEmpty != false
        let claims = subject.claims(mutant)
        // A plain condition: one expectation each would take longer than the verifier.
        if (claims == nil) != isCovered { Issue.record("\(claims == nil ? "refused" : "accepted") \(what())") }
        guard let claims else { return false }
        let isOfReceipt: (Claims.Claim) -> Bool = { $0.name.hasPrefix("receipt_") }
        let others = claims.all.filter { !isOfReceipt($0) }
        #expect(others == subject.claims.all.filter { !isOfReceipt($0) })
        return true
    }

    static func judgeAssertion(_ mutant: [UInt8], of subject: Subject, _ what: @autoclosure () -> String) throws -> Bool {
        let original = try #require(subject.assertion)
        let read = try? AssertionObject(parsing: mutant[...])
        let isCovered = read?.signature != original.signature || read?.authenticatorData != original.authenticatorData
        let claims = subject.claims(mutant)
        if (claims == nil) != isCovered { Issue.record("\(claims == nil ? "refused" : "accepted") \(what())") }
        if let claims { #expect(claims == subject.claims) }
        return claims != nil
    }

    @Test("An attestation with any bit changed is accepted only in uncovered bytes")
    func attestationBits() throws {
        let subject = try Self.attestation("27.0")
        var accepted = 0
        for index in subject.evidence.body.indices {
            for bit in 0..<8 {
                var mutant = subject.evidence.body
                mutant[index] ^= 1 << UInt8(bit)
                accepted += try Self.judgeAttestation(mutant, of: subject, "byte \(index) bit \(bit)") ? 1 : 0
            }
        }
        // The four bytes of the receipt, the three of cdHash, and the bits of its name that leave it a text.
        let uncovered = 7 * 8...13 * 8 + 16
        #expect(uncovered.contains(accepted), "\(accepted)")
    }

    @Test("An assertion with any bit changed is accepted only in uncovered bytes", arguments: ["18.5", "27.0"])
    func assertionBits(_ osVersion: String) throws {
        let subject = try Self.assertion(osVersion)
        for index in subject.evidence.body.indices {
            for bit in 0..<8 {
                var mutant = subject.evidence.body
                mutant[index] ^= 1 << UInt8(bit)
                if try Self.judgeAssertion(mutant, of: subject, "byte \(index) bit \(bit)") { Issue.record("accepted") }
            }
        }
    }

    @Test(
        "An attestation with bytes dropped, doubled, inserted, exchanged or moved is refused",
        arguments: 1...4 as ClosedRange<UInt64>)
    func attestationBytes(_ seed: UInt64) throws {
        let subject = try Self.attestation(seed % 2 == 0 ? "18.5" : "27.0")
        var mutator = Mutator(seed: seed)
        for round in 0..<1500 {
            var mutant = subject.evidence.body
            for _ in 0..<Int.random(in: 1...3, using: &mutator) { mutant = mutator.mutated(mutant) }
            guard mutant != subject.evidence.body else { continue }
            _ = try Self.judgeAttestation(mutant, of: subject, "seed \(seed) round \(round)")
        }
    }

    @Test(
        "An assertion with bytes dropped, doubled, inserted, exchanged or moved is refused",
        arguments: 1...4 as ClosedRange<UInt64>)
    func assertionBytes(_ seed: UInt64) throws {
        let subject = try Self.assertion(seed % 2 == 0 ? "18.5" : "27.0")
        var mutator = Mutator(seed: seed)
        for round in 0..<2500 {
            var mutant = subject.evidence.body
            for _ in 0..<Int.random(in: 1...3, using: &mutator) where !mutant.isEmpty { mutant = mutator.mutated(mutant) }
            guard mutant != subject.evidence.body else { continue }
            _ = try Self.judgeAssertion(mutant, of: subject, "seed \(seed) round \(round)")
        }
    }

    /// Every head of every element in signed certificates: too long, too short, indefinite, with another tag.
    @Test("A certificate with any element's head changed is refused")
    func elements() throws {
        let subject = try Self.attestation("27.0")
        let object = try AttestationObject(parsing: subject.evidence.body[...])
        for position in object.certificates.indices {
            let certificate = Array(object.certificates[position])
            for (offset, head, length) in Self.heads(certificate[...]) {
                let content = certificate[(offset + head)..<(offset + head + length)]
                let tag = certificate[offset]
                let variants: [[UInt8]] = [
                    [tag, 0x84] + (0..<4).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + content,
                    [tag, 0x80] + content + [0, 0],
                    [tag ^ 0x20] + certificate[(offset + 1)..<(offset + head)] + content,
                    DERWriter.element([tag], Array(content), length: .stated(length + 1)),
                    DERWriter.element([tag], Array(content), length: .stated(max(0, length - 1))),
                    DERWriter.element([tag], [0] + content),
                    DERWriter.element([tag], []),
                    [],
                ]
                for (kind, variant) in variants.enumerated()
                where !variant.elementsEqual(certificate[offset..<(offset + head + length)]) {
                    let changed = Self.replacing(offset, head + length, with: variant, in: certificate)
                    let mutant = try Self.object(subject.evidence.body) { $0[position] = changed }
                    guard subject.claims(mutant) != nil else { continue }
                    Issue.record("accepted certificate \(position), element at \(offset), variant \(kind)")
                }
            }
        }
    }

    @Test("A changed list of certificates or order of extensions is refused")
    func lists() throws {
        let subject = try Self.attestation("27.0")
        let good = try AttestationObject(parsing: subject.evidence.body[...]).certificates.map { Array($0) }
        let root = Sample.authority.rootCertificate
        for list in [
            [good[0]], [good[1]], [good[1], good[0]], [good[0], good[0]], [good[1], good[1]], [good[0], good[0], good[1]],
            [good[0], good[1], good[1]], [good[0], root], [good[0], root, good[1]], [root, good[0], good[1]],
            [good[0], good[1], root, root], [good[0], good[1], root, good[1]], [root], [root, root],
        ] {
            #expect(subject.claims(try Self.object(subject.evidence.body) { $0 = list }) == nil)
        }
        #expect(subject.claims(try Self.object(subject.evidence.body) { $0 = good + [root] }) == subject.claims)
        // Reordered after signing; the same order signed is accepted elsewhere.
        let moved = try Self.attestation("27.0", Self.changes.leaf { $0.extensions.swapAt(0, 1) })
        let leaf = Array(try AttestationObject(parsing: moved.evidence.body[...]).certificates[0])
        let signature = Array(try Certificate(der: good[0][...]).signature)
        let other = try Certificate(der: leaf[...])
        let transplanted = DERWriter.sequence([
            Array(other.signedPart), CertificateBuilder.Algorithm.ecdsaWithSHA256.der, DERWriter.bitString(signature),
        ])
        #expect(subject.claims(try Self.object(subject.evidence.body) { $0[0] = transplanted }) == nil)
    }

    /// Each ECDSA signature has an equally valid mirror image. A certificate with it is as good, has the same content and
    /// changes no decision: so a digest of presented evidence is not its identity.
    @Test("The mirror image of a leaf's signature is accepted, and changes nothing")
    func mirrored() throws {
        let changes = Self.changes.intermediate { $0.subjectPublicKeyInfo = Forger.key.subjectPublicKeyInfo }
            .leafSigner(Forger.key)
        let subject = try Self.attestation("27.0", changes)
        let leaf = try Certificate(
            der: Array(try AttestationObject(parsing: subject.evidence.body[...]).certificates[0])[...])
        let raw = try ECDSASignature(der: leaf.signature, width: 32).raw
        let mirror = SignatureDraft(r: Array(raw.prefix(32)), s: Array(raw.suffix(32))).mirrored.der
        let changed = DERWriter.sequence([
            Array(leaf.signedPart), CertificateBuilder.Algorithm.ecdsaWithSHA256.der, DERWriter.bitString(mirror),
        ])
        #expect(changed != Array(leaf.der))
        #expect(subject.claims(try Self.object(subject.evidence.body) { $0[0] = changed }) == subject.claims)
    }

    // MARK: Structure

    /// Offset, length of the head and length of the content of each element, outermost first; constructed ones are entered.
    static func heads(_ bytes: ArraySlice<UInt8>) -> [(offset: Int, head: Int, length: Int)] {
        var heads: [(Int, Int, Int)] = []
        var reader = DERReader(bytes, code: .malformedCertificate)
        while !reader.isAtEnd, let element = try? reader.element() {
            let head = element.encoded.count - element.content.count
            heads.append((element.encoded.startIndex, head, element.content.count))
            if element.tag.form & 0x20 != 0 { heads += Self.heads(element.content) }
        }
        return heads
    }

    /// The bytes with a range replaced, and the lengths of all elements around it adapted.
    static func replacing(_ offset: Int, _ count: Int, with new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        var reader = DERReader(bytes[...], code: .malformedCertificate)
        var out: [UInt8] = []
        while !reader.isAtEnd, let element = try? reader.element() {
            let range = element.encoded.startIndex..<element.encoded.endIndex
            if range == offset..<(offset + count) {
                out += new
            } else if element.tag.form & 0x20 != 0, range.lowerBound <= offset, offset + count <= range.upperBound {
                let inner = Array(element.content)
                let head = element.encoded.count - element.content.count
                out += DERWriter.element(
                    [bytes[range.lowerBound]],
                    replacing(offset - range.lowerBound - head, count, with: new, in: inner))
            } else {
                out += element.encoded
            }
        }
        return out
    }

    /// The object with other certificates.
    static func object(_ body: [UInt8], _ change: (inout [[UInt8]]) -> Void) throws -> [UInt8] {
        let object = try AttestationObject(parsing: body[...])
        var list = object.certificates.map { Array($0) }
        change(&list)
        var statement = CBORMap()
        statement.append("x5c", CBORWriter.array(list.map { CBORWriter.bytes($0) }))
        statement.append("receipt", CBORWriter.bytes(Array(object.receipt)))
        var map = CBORMap()
        map.append("fmt", CBORWriter.text("apple-appattest"))
        map.append("attStmt", statement.bytes)
        map.append("authData", CBORWriter.bytes(Array(object.authenticatorData)))
        return map.bytes
    }
}
