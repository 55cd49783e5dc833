import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import Foundation
import Testing

@Suite("Client data binding")
struct ClientDataBindingTests {
    @Test("binds a payload, and only that one")
    func payload() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        var request = try handset.assertion(try await harness.challenge(.assert), payload: [1, 2, 3])
        request.binding = .clientData(payloadHash: ClientData.payloadHash([1, 2, 4]))
        #expect(try await harness.verify(request).rejection == .badSignature)
        request.binding = .clientData(payloadHash: nil)
        #expect(try await harness.verify(request).rejection == .badSignature)
        request.binding = .clientData(payloadHash: ClientData.payloadHash([1, 2, 3]))
        let verdict = try await harness.verify(request)
        #expect(verdict.isAccepted && verdict.bound.mode == .clientData)
        #expect(verdict.bound.payloadSha256 == Data(ClientData.payloadHash([1, 2, 3])))
        let data = try #require(ClientData(purpose: .assert, challenge: request.challenge, payload: [1, 2, 3]))
        #expect(verdict.bound.clientDataHash == Data(data.hash))
    }

    @Test("says so where no payload is bound")
    func noPayload() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        let verdict = try await harness.assert(&handset)
        #expect(verdict.isAccepted && verdict.bound.payloadSha256.isEmpty && verdict.bound.clientDataHash.count == 32)
    }

    @Test("is refused without a payload where the app requires one")
    func required() async throws {
        let harness = try await ServiceHarness([.testing(.camera, binding: BindingRule(payloadRequired: true))])
        let handset = Handset()
        let challenge = try await harness.challenge(.register)
        let verdict = try await harness.verify(try handset.registration(challenge))
        #expect(verdict.rejection == .payloadRequired && verdict.check == "binding")
        #expect(
            try await harness.verify(try handset.registration(challenge, payload: [])).isAccepted, "an empty payload is one")
    }
}

@Suite("Embedded binding")
struct EmbeddedBindingTests {
    private static let json = EmbeddedChallenge.Place.jsonMember(["auth", "challenge"])

    private func harness(_ place: EmbeddedChallenge.Place, _ encoding: EmbeddedChallenge.Encoding) async throws
        -> ServiceHarness
    {
        let embedded = try #require(EmbeddedChallenge(place: place, encoding: encoding))
        return try await ServiceHarness([.testing(.camera, binding: BindingRule(embedded: embedded)), .testing(.notes)])
    }

    private func text(_ challenge: [UInt8], _ encoding: EmbeddedChallenge.Encoding) -> [UInt8] {
        switch encoding {
        case .raw: challenge
        case .base64url: Array(Base64.url.encode(challenge).utf8)
        case .base64: Array(Base64.standard.encode(challenge).utf8)
        case .hex: Array(Hex.encode(challenge).utf8)
        }
    }

    private func request(_ handset: inout Handset, _ challenge: [UInt8], _ clientData: [UInt8]) throws -> VerificationRequest {
        VerificationRequest(
            app: handset.app, purpose: .assert, challenge: challenge,
            evidence: [try handset.assertion(over: Binding(embedded: clientData).clientDataHash)],
            binding: .embedded(clientData))
    }

    @Test("finds the challenge in a JSON member", arguments: [EmbeddedChallenge.Encoding.base64url, .base64, .hex])
    func member(_ encoding: EmbeddedChallenge.Encoding) async throws {
        let harness = try await harness(Self.json, encoding)
        var (handset, _) = try await harness.enrol()
        let challenge = try await harness.challenge(.assert)
        let data = Array(#"{"v":1,"auth":{"challenge":""#.utf8) + text(challenge, encoding) + Array(#""},"photo":"x"}"#.utf8)
        let verdict = try await harness.verify(try request(&handset, challenge, data))
        #expect(verdict.isAccepted && verdict.bound.mode == .embedded && verdict.bound.payloadSha256.isEmpty)
        #expect(verdict.bound.clientDataHash == Data(Binding(embedded: data).clientDataHash))
    }

    @Test("finds the challenge at an offset", arguments: EmbeddedChallenge.Encoding.allCases)
    func offset(_ encoding: EmbeddedChallenge.Encoding) async throws {
        let harness = try await harness(.offset(7), encoding)
        var (handset, _) = try await harness.enrol()
        let challenge = try await harness.challenge(.assert)
        let data = Array("myapp/1".utf8) + text(challenge, encoding) + [0, 1, 2]
        #expect(try await harness.verify(try request(&handset, challenge, data)).isAccepted)
        let next = try await harness.challenge(.assert)
        let shifted = Array("myapp/12".utf8) + text(next, encoding)
        let verdict = try await harness.verify(try request(&handset, next, shifted))
        #expect(verdict.rejection == .clientDataMismatch && verdict.check == "binding")
    }

    @Test("is refused where the challenge does not stand at the one place in the one encoding")
    func elsewhere() async throws {
        let harness = try await harness(Self.json, .base64url)
        var (handset, _) = try await harness.enrol()
        let challenge = try await harness.challenge(.assert)
        let text = Base64.url.encode(challenge)
        let clientData = [
            "", "{", "[]", "{}", #"{"challenge":"\#(text)"}"#, #"{"auth":{"Challenge":"\#(text)"}}"#,
            #"{"auth":{"challenge":"\#(Hex.encode(challenge))"}}"#, #"{"auth":{"challenge":"\#(text)="}}"#,
            #"{"auth":{"challenge":"x","challenge":"\#(text)"}}"#, #"{"auth":{"challenge":["\#(text)"]}}"#,
            #"{"auth":{"challenge":"\#(text)"}}x"#,
        ]
        for data in clientData {
            // Each on a count of attempts of its own.
            let harness = try await ServiceHarness(harness.apps.all, ledger: harness.ledger, clock: harness.clock)
            let verdict = try await harness.verify(try request(&handset, challenge, Array(data.utf8)))
            #expect(verdict.rejection == .clientDataMismatch, "\(data)")
        }
    }

    @Test("is refused for another challenge than the one in the client data")
    func otherChallenge() async throws {
        let harness = try await harness(.offset(0), .raw)
        var (handset, _) = try await harness.enrol()
        let data = try await harness.challenge(.assert)
        let verdict = try await harness.verify(try request(&handset, try await harness.challenge(.assert), data))
        #expect(verdict.rejection == .clientDataMismatch)
    }

    @Test("is refused where the signed client data are others")
    func unsigned() async throws {
        let harness = try await harness(.offset(0), .raw)
        var (handset, _) = try await harness.enrol()
        let challenge = try await harness.challenge(.assert)
        var request = try request(&handset, challenge, challenge + [1])
        request.binding = .embedded(challenge + [2])
        #expect(try await harness.verify(request).rejection == .badSignature)
    }

    @Test("is refused by an app that does not allow it")
    func notAllowed() async throws {
        let harness = try await harness(.offset(0), .raw)
        var (handset, _) = try await harness.enrol(.notes)
        let challenge = try await harness.challenge(.assert, app: .notes)
        let verdict = try await harness.verify(try request(&handset, challenge, challenge))
        #expect(verdict.rejection == .bindingNotAllowed && verdict.retry == .contactOperator)
    }

    @Test("is never allowed for what leads to a certificate", arguments: [Purpose.provision, .renew])
    func certificates(_ purpose: Purpose) async throws {
        let harness = try await harness(.offset(0), .raw)
        var (handset, _) = try await harness.enrol()
        let challenge = try await harness.challenge(purpose)
        var request = try request(&handset, challenge, challenge)
        request.purpose = purpose
        let answer = try #require(await harness.pipeline.judge([harness.admitted(request)]).first)
        #expect(answer.rejection == .bindingNotAllowed)
    }
}
