import AppAttest
import AssayCore
import AssayEncoding
import AssaySimulator
import Testing

/// What evidence itself states, in the sentences about it.
@Suite("What App Attest evidence states")
struct StatementTests {
    private func failure(
        _ changes: AttestationChanges = .genuine, phone: VirtualPhone = Sample.phone(), now: Timestamp = Sample.now,
        body: (([UInt8]) -> [UInt8])? = nil
    ) throws -> Finding {
        var phone = phone
        let key = phone.makeKey()
        var evidence = try Sample.attest(key, changes: changes)
        if let body { evidence = Evidence(format: evidence.format, keyID: evidence.keyID, body: body(evidence.body)) }
        let verifier = try Sample.attestationVerifier(anchors: Sample.anchors(phone.authority))
        return try #require(
            verifier.appraise(evidence, in: AppraisalContext(binding: Sample.binding(), now: now)).failure)
    }

    @Test("The App ID is named by the receipt inside the attestation")
    func appID() throws {
        let other = try failure(phone: Sample.phone(appID: Sample.otherAppID))
        #expect(other.code == "app_id_mismatch")
        #expect(
            other.detail
                == "the App ID \"\(Sample.otherAppID)\", by its receipt, is none of those configured: \(Sample.appID)")
        let bare = try failure(
            .genuine.receipt(.genuine.fields { $0.set(2, "TEAMID1234.com.example.third") }),
            phone: Sample.phone(appID: Sample.otherAppID))
        #expect(bare.detail.contains("(the receipt names another one, \"TEAMID1234.com.example.third\")"), "\(bare.detail)")
    }

    @Test(
        "Another format is named, and what it is",
        arguments: [
            ("apple", "of managed device attestation"), ("packed", "of a security key"), ("Apple-AppAttest", "want"),
        ])
    func format(_ name: String, _ words: String) throws {
        let failure = try failure(.genuine.object { $0["fmt"] = CBORWriter.text(name) })
        #expect(failure.code == "wrong_format" && failure.detail.hasPrefix("fmt is \"\(name)\""))
        #expect(failure.detail.contains(words), "\(failure.detail)")
    }

    @Test("The certificate that has expired is named by its place and its subject")
    func expired() throws {
        let failure = try failure(now: Sample.now.adding(milliseconds: 400 * 1440 * Sample.minute))
        #expect(failure.code == "expired")
        #expect(failure.detail.hasPrefix("certificate 0 ("), "\(failure.detail)")
        #expect(failure.detail.contains("): valid until "))
    }

    @Test("The AAGUID of no environment is shown")
    func aaguid() throws {
        let failure = try failure(.genuine.authenticatorData { $0.credential?.aaguid = Array("appattestsandbox".utf8) })
        #expect(failure.code == "environment_mismatch")
        #expect(failure.detail.contains(Hex.encode(Array("appattestsandbox".utf8))), "\(failure.detail)")
    }

    @Test("A malformed certificate is named by its place and its field")
    func certificates() throws {
        let failure = try failure(.genuine.leaf { $0.extensions.append(.appleNonce([UInt8](repeating: 0, count: 32))) })
        #expect(failure.code == "malformed_certificate")
        #expect(failure.detail.hasPrefix("certificate 0 extensions: two extensions 1.2.840"), "\(failure.detail)")
    }

    @Test("Evidence that arrives as text, or that was text on its way, is told to be that")
    func transport() throws {
        for (change, words) in [
            ({ Array(Base64.standard.encode($0).utf8) }, "they are text, in Base64 or hexadecimal, that was not decoded"),
            ({ Array(Hex.encode($0).utf8) }, "they are text, in Base64 or hexadecimal, that was not decoded"),
            ({ Array("\"\(Base64.standard.encode($0))\"".utf8) }, "quotation marks of JSON"),
            ({ Array(String(decoding: $0, as: UTF8.self).utf8) }, "its bytes were converted to text on the way"),
        ] as [(([UInt8]) -> [UInt8], String)] {
            let failure = try failure(body: change)
            #expect(failure.code == "malformed_cbor" && failure.detail.contains(words), "\(failure.detail)")
        }
    }
}
