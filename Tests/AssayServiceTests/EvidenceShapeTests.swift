import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Testing

@Suite("Shape of evidence")
struct EvidenceShapeTests {
    @Test("is bounded in size, before anything is read")
    func tooLarge() async throws {
        let harness = try await ServiceHarness()
        let handset = Handset()
        let challenge = try await harness.challenge(.register)
        var request = try handset.registration(
            challenge, changes: .genuine.bytes { $0 += [UInt8](repeating: 0, count: 32_768) })
        #expect(try await harness.verify(request).rejection == .evidenceTooLarge)
        request = try handset.registration(challenge)
        #expect(try await harness.verify(request).isAccepted)

        var other = handset
        let assertion = try other.assertion(
            try await harness.challenge(.assert), changes: .genuine.bytes { $0 += [UInt8](repeating: 0, count: 4096) })
        let verdict = try await harness.verify(assertion)
        #expect(verdict.rejection == .evidenceTooLarge && verdict.check == "evidence" && verdict.findings.count == 1)
    }

    @Test("is of a format that the app accepts")
    func otherFormat() async throws {
        let harness = try await ServiceHarness([.testing(.camera, formats: [.appAttestAttestation])])
        var (handset, _) = try await harness.enrol()
        let verdict = try await harness.assert(&handset)
        #expect(verdict.rejection == .formatNotAccepted && verdict.retry == .contactOperator)
    }

    @Test("is of a provider that still exists")
    func discontinued() async throws {
        let harness = try await ServiceHarness()
        var request = try Handset().registration(try await harness.challenge(.register))
        request.evidence = [Evidence(format: .safetyNet, keyID: [], body: Array("eyJ9.e30.AA".utf8))]
        let verdict = try await harness.verify(request)
        #expect(verdict.rejection == .providerDeprecated && verdict.retry == .contactOperator)
    }

    @Test("is of a format that serves the purpose")
    func otherPurpose() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        var asserted = try handset.assertion(try await harness.challenge(.register))
        asserted.purpose = .register
        #expect(try await harness.verify(asserted).rejection == .formatNotAccepted)
        var registered = try Handset().registration(try await harness.challenge(.assert))
        registered.purpose = .assert
        #expect(try await harness.verify(registered).rejection == .formatNotAccepted)
    }

    @Test(
        "that is garbage is a rejection, not an error",
        arguments: [[], [0], [0xFF], [0xA0], Array(repeating: 0x9F, count: 500)])
    func garbage(_ body: [UInt8]) async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        var registration = try handset.registration(try await harness.challenge(.register))
        registration.evidence = [Evidence(format: .appAttestAttestation, keyID: handset.key.keyID, body: body)]
        #expect(try await harness.verify(registration).rejection == .malformedCBOR)
        var assertion = try handset.assertion(try await harness.challenge(.assert))
        assertion.evidence = [Evidence(format: .appAttestAssertion, keyID: handset.key.keyID, body: body)]
        #expect(try await harness.verify(assertion).rejection == .malformedCBOR)
    }
}

@Suite("Several pieces of evidence")
struct SeveralPiecesTests {
    /// An attestation of a new key and an assertion by a registered one, over the same client data.
    private func pair(
        _ harness: ServiceHarness, _ purpose: Purpose, assertion changes: AssertionChanges = .genuine
    ) async throws -> (request: VerificationRequest, registered: DeviceID) {
        var (handset, device) = try await harness.enrol()
        let challenge = try await harness.challenge(purpose)
        let data = try #require(ClientData(purpose: purpose, challenge: challenge))
        let evidence = [
            try Handset().attestation(over: data.hash), try handset.assertion(over: data.hash, changes: changes),
        ]
        return (VerificationRequest(app: .camera, purpose: purpose, challenge: challenge, evidence: evidence), device)
    }

    @Test("share no purpose here: attestation and assertion are refused together", arguments: [Purpose.register, .assert])
    func noCommonPurpose(_ purpose: Purpose) async throws {
        let harness = try await ServiceHarness()
        let (request, _) = try await pair(harness, purpose)
        let verdict = try await harness.verify(request)
        #expect(verdict.rejection == .formatNotAccepted && verdict.check == "evidence")
        #expect(harness.ledger.memory.auditLog.count == 1, "only the enrolment")
    }

    @Test("are all good or the request is refused, and nothing of it is done")
    func allOrNothing() async throws {
        let harness = try await ServiceHarness()
        let (request, device) = try await pair(harness, .provision, assertion: .genuine.signer(TestSigningKey(.p256)))
        let answer = try #require(await harness.pipeline.judge([harness.admitted(request)]).first)
        #expect(answer.rejection == .badSignature)
        #expect(try await harness.ledger.status().devices == 1 && harness.ledger.asked(.commit) == 1)
        #expect(try await harness.ledger.device(device)?.counter == 0)
    }

    @Test("give findings and claims under the names of their formats, and one digest over theirs")
    func names() async throws {
        let harness = try await ServiceHarness()
        let (request, _) = try await pair(harness, .provision)
        let verdict = try #require(await harness.pipeline.judge([harness.admitted(request)]).first?.verdict)
        // Both are good, and of two devices.
        #expect(verdict.decision == .rejected(Rejection(.deviceMismatch, ""), check: "registry"))
        let checks = verdict.findings.map(\.check)
        #expect(checks.prefix(2) == ["challenge", "binding"])
        let formats = checks.dropFirst(2).map { $0.split(separator: "/").first.map(String.init) ?? "" }
        let first = formats.prefix { $0 == "app-attest.attestation" }
        #expect(!first.isEmpty && formats.dropFirst(first.count).allSatisfy { $0 == "app-attest.assertion" })
        #expect(verdict.claims["app-attest.assertion/sign_count"] == .integer(1))
        var digest = FieldDigest("assay.evidence-list.v1")
        for piece in request.evidence { digest.append(piece.digest) }
        #expect(verdict.evidenceDigest == digest.finalize())
    }

    @Test("beyond four, or none, are the caller's mistake")
    func count() async throws {
        let harness = try await ServiceHarness()
        var request = try Handset().registration(try await harness.challenge(.register))
        request.evidence = []
        let error = try await harness.failure(request)
        #expect(error?.code == .invalidArgument && error?.reason == "invalid_request")
        #expect(error?.message.hasPrefix("evidence ") == true)
    }
}
