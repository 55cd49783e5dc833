import AssayCore
import Testing

@testable import DeviceCheck

@Suite("DeviceCheck verifier")
struct DeviceCheckVerifierTests {
    private func appraise(
        _ reply: OutsideAnswer?, token: [UInt8] = [1, 2, 3], refusing bits: Set<DeviceCheckPolicy.Bit> = []
    ) -> Appraisal {
        let evidence = Evidence(format: .deviceCheck, keyID: [], body: token)
        let context = AppraisalContext(
            binding: Binding(callerOwned: [UInt8](repeating: 0, count: 32)), vendor: reply,
            now: Timestamp(unixSeconds: 1_750_000_000))
        return DeviceCheckVerifier(policy: DeviceCheckPolicy(refusedBits: bits)).appraise(evidence, in: context)
    }

    private func answered(_ answer: DeviceBitsAnswer) -> OutsideAnswer { .answered(answer.encoded) }

    @Test("A token that Apple accepts is accepted with platform assurance, bound to nothing")
    func accepts() throws {
        let appraisal = appraise(answered(.set(DeviceBits(bit0: true, bit1: false, lastSetIn: "2024-05"))))
        #expect(Decision([appraisal]) == .accept(.platform))
        #expect(appraisal.findings.map(\.code).contains("not_bound"))
        #expect(appraisal.claims["bits_set"] == .boolean(true))
        #expect(appraisal.claims["bit0"] == .boolean(true))
        #expect(appraisal.claims["bit1"] == .boolean(false))
        #expect(appraisal.claims.text("bits_last_set") == "2024-05")
        guard case .none = appraisal.effect else {
            Issue.record("a token registers nothing")
            return
        }
    }

    @Test("Bits that were never set count as not set, with a note")
    func neverSet() {
        let appraisal = appraise(answered(.neverSet), refusing: [.bit0, .bit1])
        #expect(Decision([appraisal]) == .accept(.platform))
        #expect(appraisal.claims["bits_set"] == .boolean(false))
        #expect(appraisal.claims["bit0"] == nil)
    }

    @Test("Devices are refused by the bits that the app names, and by no others", arguments: [false, true], [false, true])
    func bits(_ bit0: Bool, _ bit1: Bool) {
        let appraisal = appraise(answered(.set(DeviceBits(bit0: bit0, bit1: bit1))), refusing: [.bit1])
        #expect(appraisal.failure?.code == (bit1 ? "device_bits" : nil))
    }

    @Test("A token that Apple refuses is rejected")
    func refused() {
        let appraisal = appraise(.refused(Rejection(.vendorRefused, "no")))
        #expect(appraisal.failure?.code == "vendor_refused")
        #expect(appraisal.claims.all.isEmpty)
    }

    @Test(
        "An outage never counts as a clean device",
        arguments: [nil, .unavailable("asleep"), .answered([]), .answered(Array("<html>".utf8))] as [OutsideAnswer?])
    func unavailable(_ reply: OutsideAnswer?) {
        let appraisal = appraise(reply)
        guard case .unavailable(let check, _) = Decision([appraisal]) else {
            Issue.record("want unavailable, have \(Decision([appraisal]))")
            return
        }
        #expect(check == "vendor")
        #expect(appraisal.claims.all.isEmpty)
    }

    @Test("An empty token is rejected without a request, and so is one that is too large")
    func sizes() {
        let verifier = DeviceCheckVerifier(policy: DeviceCheckPolicy())
        func evidence(_ count: Int) -> Evidence {
            Evidence(format: .deviceCheck, keyID: [], body: [UInt8](repeating: 1, count: count))
        }
        #expect(throws: Rejection(.malformedToken, "")) { try verifier.locate(evidence(0)) }
        #expect(throws: Never.self) { try verifier.locate(evidence(8192)) }
        #expect(verifier.sizeLimit == 8192)
        #expect(appraise(answered(.neverSet), token: [UInt8](repeating: 1, count: 8193)).failure?.code == "evidence_too_large")
    }

    @Test("A token is for assertions only, and is spent by itself")
    func kind() {
        let verifier = DeviceCheckVerifier(policy: DeviceCheckPolicy(spendsTokenFor: 7))
        #expect(verifier.purposes == [.assert])
        #expect(verifier.spendsEvidenceFor == 7)
    }
}
