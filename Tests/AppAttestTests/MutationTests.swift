import AssayCertificates
import AssayCore
import Testing

@testable import AppAttest

/// Changed evidence is refused, unless only unsigned bytes were changed. Nothing traps.
@Suite("Mutations of genuine evidence", .enabled(if: Vector.folder != nil))
struct MutationTests {
    /// Changes one bit of each byte of an attestation. Neither certificate nor nonce covers the receipt: a changed receipt is
    /// no longer verified, except for a few bytes of its envelope. Everything else is signed, or belongs to the structure.
    @Test(
        "A changed attestation is accepted only if the change is in the receipt",
        arguments: ["veehaitch-ios14.2-attestation", "apple-sample-2026-ios27-attestation", "worldcoin-ios26-a-attestation"])
    func attestations(_ id: String) throws {
        let vector = try #require(Vector.named(id))
        let verifier = try vector.verifier(links: LinkCache())
        let (body, context) = (vector.evidence().body, vector.context())
        let receipt = try AttestationObject(parsing: body[...]).receipt
        let isVerified = verifier.appraise(vector.evidence(), in: context).claims["receipt_verified"]
        #expect(isVerified == .boolean(true))
        var verified = 0
        for index in body.indices {
            var mutant = body
            mutant[index] ^= 1 << UInt8(index % 8)
            let appraisal = verifier.appraise(vector.evidence(body: mutant), in: context)
            #expect((appraisal.failure == nil) == receipt.indices.contains(index), "byte \(index)")
            if appraisal.claims["receipt_verified"] == .boolean(true) { verified += 1 }
        }
        #expect(verified < 24, "\(verified) changed receipts were verified")
    }

    @Test(
        "An assertion with any bit changed is refused",
        arguments: ["veehaitch-ios14.3-assertion", "zerinix-ios27-assertion", "hellas-macos27-july-assertion"])
    func assertions(_ id: String) throws {
        let vector = try #require(Vector.named(id))
        let verifier = try vector.verifier()
        let (body, context) = (vector.evidence().body, vector.context())
        #expect(verifier.appraise(vector.evidence(), in: context).failure == nil)
        for index in body.indices {
            for bit in 0..<8 {
                var mutant = body
                mutant[index] ^= 1 << UInt8(bit)
                #expect(
                    verifier.appraise(vector.evidence(body: mutant), in: context).failure != nil, "byte \(index) bit \(bit)")
            }
        }
    }

    /// The unsigned member may change as long as the object stays well-formed; nothing else may.
    @Test("A changed assertion with an unsigned member is accepted only if the change is in that member")
    func unsignedMember() throws {
        let vector = try #require(Vector.named("synthetic-assertion-cdhash-member-a"))
        let verifier = try vector.verifier()
        let (body, context) = (vector.evidence().body, vector.context())
        let object = try AssertionObject(parsing: body[...])
        let original = verifier.appraise(vector.evidence(), in: context)
        #expect(original.failure == nil && original.findings.contains { $0.code == "unsigned_cd_hash" })
        var accepted = 0
        for index in body.indices {
            for bit in 0..<8 {
                var mutant = body
                mutant[index] ^= 1 << UInt8(bit)
                let appraisal = verifier.appraise(vector.evidence(body: mutant), in: context)
                let read = try? AssertionObject(parsing: mutant[...])
                let isHarmless = read?.signature == object.signature && read?.authenticatorData == object.authenticatorData
                #expect((appraisal.failure == nil) == isHarmless, "byte \(index) bit \(bit)")
                guard isHarmless else { continue }
                accepted += 1
                #expect(appraisal.claims == original.claims)
            }
        }
        #expect(accepted > 0)
    }

    @Test("Evidence cut anywhere is malformed", arguments: ["apple-sample-2026-ios27-attestation", "zerinix-ios27-assertion"])
    func prefixes(_ id: String) throws {
        let vector = try #require(Vector.named(id))
        let verifier = try vector.verifier()
        let (body, context) = (vector.evidence().body, vector.context())
        for length in body.indices {
            let appraisal = verifier.appraise(vector.evidence(body: Array(body.prefix(length))), in: context)
            #expect(appraisal.failure?.code == ReasonCode.malformedCBOR.rawValue, "\(length) bytes")
        }
    }
}
