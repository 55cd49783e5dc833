import AssayAPI
import AssayCore
import AssayTesting
import SwiftProtobuf
import Testing

@Suite("Verdict")
struct VerdictTests {
    private let clientData = ClientData(purpose: .assert, challenge: bytes(54, 1), payloadHash: bytes(32, 2))

    private func verdict(_ decision: Verdict.Decision) throws -> Verdict {
        Verdict(
            decision: decision,
            findings: [
                .pass("a"), .fail("b", Rejection(.badSignature, "no")), .note("c", "word", "why"),
                Finding(check: "d", outcome: .skipped), Finding(check: "e", outcome: .unavailable),
            ],
            claims: Claims([.init(name: "os", value: .text("27"))]), device: DeviceID(bytes: bytes(16, 3)),
            binding: Binding(try #require(clientData)), evidenceDigest: bytes(32, 4), policyDigest: bytes(32, 5),
            simulated: true, requestID: bytes(16, 6), decidedAt: Timestamp(unixMilliseconds: 1234))
    }

    /// What was written by hand, read by the generated code. Written again by that, it is the same to the byte: every field
    /// is known, in order, and defaults are left out.
    private func read(_ verdict: Verdict, repeated: Bool = false) throws -> Assay_V1_Verdict {
        let bytes = verdict.serialized(repeated: repeated)
        let message = try Assay_V1_Verdict(serializedBytes: bytes)
        #expect(try message.serializedBytes() == bytes)
        return message
    }

    @Test("carries claims of every kind, parts of every length, and the mark of a repetition")
    func parts() throws {
        var verdict = try verdict(.accepted(.secureElement))
        let long = String(repeating: "long ", count: 5000)
        verdict.findings = [.note(long, "word", long), .note("", "", "")]
        verdict.claims = Claims([
            .init(name: "text", value: .text(long)), .init(name: "empty", value: .text("")),
            .init(name: "number", value: .integer(-1)), .init(name: "zero", value: .integer(0)),
            .init(name: "no", value: .boolean(false)), .init(name: "bytes", value: .bytes(bytes(200, 1))),
            .init(name: "none", value: .bytes([])), .init(name: "texts", value: .texts(["", long, "b"])),
            .init(name: "time", value: .time(Timestamp(unixMilliseconds: .min))),
        ])
        let message = try read(verdict, repeated: true)
        #expect(message.repeated)
        #expect(Claims(message.claims) == verdict.claims)
        #expect(message.findings.map(\.detail) == [long, ""])
    }

    @Test("that accepts has every field in its message")
    func accepted() throws {
        let message = try read(verdict(.accepted(.hardware)))
        #expect(message.decision == .accepted && message.assurance == .hardware)
        #expect(message.reason.isEmpty && message.detail.isEmpty && message.check.isEmpty && message.retry == .unspecified)
        #expect(message.findings.map(\.check) == ["a", "b", "c", "d", "e"])
        #expect(message.findings.map(\.outcome) == [.pass, .fail, .note, .skipped, .unavailable])
        #expect(message.findings.map(\.code) == ["", "bad_signature", "word", "", ""])
        #expect(message.findings.map(\.detail) == ["", "no", "why", "", ""])
        #expect(Claims(message.claims).text("os") == "27")
        #expect(Array(message.deviceID) == bytes(16, 3))
        #expect(message.bound.mode == .clientData && Array(message.bound.payloadSha256) == bytes(32, 2))
        #expect(Array(message.bound.clientDataHash) == clientData?.hash)
        #expect(Array(message.evidenceDigest) == bytes(32, 4) && Array(message.policyDigest) == bytes(32, 5))
        #expect(message.simulated && !message.repeated)
        #expect(Array(message.requestID) == bytes(16, 6) && message.decidedAtUnixMs == 1234)
    }

    @Test("that rejects says the reason, its check and what may be done", arguments: ReasonCode.allCases)
    func rejected(_ code: ReasonCode) throws {
        let message = try read(verdict(.rejected(Rejection(code, "detail"), check: "check")))
        #expect(message.decision == .rejected && message.assurance == .none)
        #expect(message.reason == code.rawValue && message.detail == "detail" && message.check == "check")
        #expect(message.retry != .unspecified)
    }

    @Test("names no device and no binding where there is none")
    func absent() throws {
        var verdict = try verdict(.rejected(Rejection(.challengeInvalid, ""), check: "challenge"))
        verdict.device = nil
        verdict.binding = nil
        #expect(try read(verdict).deviceID.isEmpty)
        #expect(try !read(verdict).hasBound)
    }

    @Test("tells the ways of binding apart")
    func bindings() throws {
        var verdict = try verdict(.accepted(.software))
        verdict.binding = Binding(embedded: [1, 2])
        #expect(try read(verdict).bound.mode == .embedded && read(verdict).bound.payloadSha256.isEmpty)
        verdict.binding = Binding(callerOwned: [9])
        #expect(try read(verdict).bound.mode == .callerOwned && Array(read(verdict).bound.clientDataHash) == [9])
    }

    @Test("has an assurance with one number in core and wire", arguments: Assurance.allCases)
    func assurance(_ assurance: Assurance) throws {
        #expect(try read(verdict(.accepted(assurance))).assurance.rawValue == Int(assurance.rawValue))
    }
}
