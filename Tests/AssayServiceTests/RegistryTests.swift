import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Testing

@Suite("Registry")
struct RegistryTests {
    @Test("does not know a key that was never registered")
    func unknown() async throws {
        let harness = try await ServiceHarness()
        var handset = Handset()
        let verdict = try await harness.assert(&handset)
        #expect(verdict.rejection == .unknownDevice && verdict.retry == .reAttest && verdict.claims.isEmpty)
    }

    @Test("asks for no new key where the key id is passed as text, in an attestation and in an assertion")
    func textOfKeyID() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        let id = handset.key.keyID
        for (text, words) in [
            (Base64.standard.encode(id), "44 bytes, want 32: the Base64 text of a key id?"),
            (Base64.url.encode(id), "43 bytes, want 32: the base64url text of a key id?"),
            (Hex.encode(id), "64 bytes, want 32: the hexadecimal text of a key id?"),
            ("\"" + Base64.standard.encode(id) + "\"", "46 bytes, want 32: the encoded text of a key id?"),
            (
                Base64.standard.encode(Array(Base64.standard.encode(id).utf8)),
                "60 bytes, want 32: the encoded text of a key id?"
            ),
            (String(repeating: "x", count: 31), "31 bytes, want 32"),
        ] {
            let challenge = try await harness.challenge(.assert)
            var assertion = try handset.assertion(challenge)
            assertion.evidence = assertion.evidence.map { Evidence(format: $0.format, keyID: Array(text.utf8), body: $0.body) }
            let newcomer = Handset()
            var registration = try newcomer.registration(try await harness.challenge(.register))
            registration.evidence = registration.evidence.map {
                Evidence(format: $0.format, keyID: Array(text.utf8), body: $0.body)
            }
            for request in [assertion, registration] {
                let verdict = try await harness.verify(request)
                #expect(verdict.rejection == .keyIDMismatch && verdict.retry == .never)
                #expect(verdict.detail.hasSuffix(words), "\(verdict.detail)")
            }
        }
    }

    @Test("does not know a key of another app")
    func otherApp() async throws {
        let harness = try await ServiceHarness()
        let (registered, _) = try await harness.enrol(.camera)
        var handset = Handset(app: .notes)
        handset.key = registered.key
        #expect(try await harness.assert(&handset).rejection == .unknownDevice)
    }

    @Test("refuses a blocked device until the block is lifted")
    func blocked() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        _ = try await harness.ledger.block(.device(device), reason: "stolen", at: ServiceHarness.opening)
        let verdict = try await harness.assert(&handset)
        #expect(verdict.rejection == .deviceBlocked && verdict.check == "registry" && verdict.retry == .contactOperator)
        #expect(Array(verdict.deviceID) == device.bytes && verdict.simulated, "which device is known by then")
        _ = try await harness.ledger.unblock(.device(device))
        #expect(try await harness.assert(&handset).isAccepted)
    }

    @Test("refuses a device that is blocked while its evidence is looked at")
    func blockedMeanwhile() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        harness.ledger.before(.commit) { [memory = harness.ledger.memory, device] in
            _ = try? await memory.block(.device(device), reason: "stolen", at: ServiceHarness.opening)
        }
        let verdict = try await harness.assert(&handset)
        #expect(verdict.rejection == .deviceBlocked && verdict.check == "commit" && verdict.assurance == .none)
        #expect(try await harness.ledger.device(device)?.counter == 0)
    }

    @Test("refuses another device than the caller expected")
    func expected() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        let (_, other) = try await harness.enrol()
        let challenge = try await harness.challenge(.assert)
        var request = try handset.assertion(challenge)
        request.expectedDevice = other
        #expect(try await harness.verify(request).rejection == .deviceMismatch)
        request.expectedDevice = device
        #expect(try await harness.verify(request).isAccepted)
    }

    @Test("cannot be told to expect a device where one is registered")
    func expectedAtRegistration() async throws {
        let harness = try await ServiceHarness()
        var request = try Handset().registration(try await harness.challenge(.register))
        request.expectedDevice = DeviceID.random()
        let error = try await harness.failure(request)
        #expect(error?.code == .invalidArgument && error?.message.hasPrefix("expected_device_id ") == true)
    }

    @Test("refuses a device that was registered for another subject")
    func owner() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol(subject: Array("anna".utf8))
        let challenge = try await harness.challenge(.assert)
        var request = try handset.assertion(challenge)
        request.subject = Array("berta".utf8)
        #expect(try await harness.verify(request).rejection == .keyOwnerMismatch)
        request.subject = Array("anna".utf8)
        #expect(try await harness.verify(request).isAccepted)
        #expect(try await harness.assert(&handset).isAccepted, "a caller who names no subject asks for none")
    }

    @Test("notes a subject that the registration did not name")
    func noOwner() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        var request = try handset.assertion(try await harness.challenge(.assert))
        request.subject = Array("anna".utf8)
        let verdict = try await harness.verify(request)
        #expect(verdict.isAccepted && verdict.findings.contains { $0.code == "subject_not_registered" && $0.outcome == .note })
        #expect(try await harness.ledger.device(device)?.subject == nil)
    }

    @Test("registers a key for one subject: another account is refused, and the first keeps it")
    func anotherAccount() async throws {
        let harness = try await ServiceHarness()
        let (handset, device) = try await harness.enrol(subject: Array("anna".utf8))
        var request = try handset.registration(try await harness.challenge(.register))
        request.subject = Array("berta".utf8)
        let verdict = try await harness.verify(request)
        #expect(verdict.rejection == .keyAlreadyRegistered && verdict.deviceID.isEmpty)
        let record = try #require(try await harness.ledger.device(DeviceKey(app: .camera, keyID: handset.key.keyID)))
        #expect(record.id == device && harness.ledger.memory.auditLog.count == 1)
    }

    @Test("registers a key once, and the second attempt spends nothing")
    func alreadyRegistered() async throws {
        let harness = try await ServiceHarness()
        let (handset, device) = try await harness.enrol()
        let challenge = try await harness.challenge(.register)
        let verdict = try await harness.verify(try handset.registration(challenge))
        #expect(verdict.rejection == .keyAlreadyRegistered && verdict.check == "commit" && verdict.deviceID.isEmpty)
        #expect(try await harness.ledger.device(DeviceKey(app: .camera, keyID: handset.key.keyID))?.id == device)
        #expect(try await harness.verify(try Handset().registration(challenge)).isAccepted)
    }
}
