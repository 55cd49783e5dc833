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
            binding: Binding(callerOwned: [UInt8](repeating: 0, count: 32)), facts: Facts(outsideAnswer: reply),
            now: Timestamp(unixSeconds: 1_750_000_000))
        return DeviceCheckVerifier(policy: DeviceCheckPolicy(refusedBits: bits)).appraise(evidence, in: context)
    }

    private static func stated(_ claims: (String, Claims.Value)...) -> OutsideAnswer {
        .stated(Claims(claims.map { Claims.Claim(name: $0, value: $1) }))
    }

    private static let neverSet = stated(("bits_set", .boolean(false)))

    private static func set(_ bit0: Bool, _ bit1: Bool) -> OutsideAnswer {
        stated(("bits_set", .boolean(true)), ("bit0", .boolean(bit0)), ("bit1", .boolean(bit1)))
    }

    @Test("A token that Apple accepts is accepted with platform assurance, bound to nothing")
    func accepts() throws {
        let appraisal = appraise(
            Self.stated(
                ("bits_set", .boolean(true)), ("bit0", .boolean(true)), ("bit1", .boolean(false)),
                ("bits_last_set", .text("2024-05")), ("more", .boolean(true))))
        #expect(Decision([appraisal]) == .accept(.platform))
        #expect(appraisal.findings.map(\.code).contains("not_bound"))
        #expect(appraisal.claims["bits_set"] == .boolean(true))
        #expect(appraisal.claims["bit0"] == .boolean(true))
        #expect(appraisal.claims["bit1"] == .boolean(false))
        #expect(appraisal.claims.text("bits_last_set") == "2024-05")
        #expect(appraisal.claims["more"] == nil, "a statement that the verifier does not know")
        guard case .none = appraisal.effect else {
            Issue.record("a token registers nothing")
            return
        }
    }

    @Test("Bits that were never set count as not set, with a note")
    func neverSet() {
        let appraisal = appraise(Self.neverSet, refusing: [.bit0, .bit1])
        #expect(Decision([appraisal]) == .accept(.platform))
        #expect(appraisal.claims["bits_set"] == .boolean(false))
        #expect(appraisal.claims["bit0"] == nil)
    }

    @Test("Devices are refused by the bits that the app names, and by no others", arguments: [false, true], [false, true])
    func bits(_ bit0: Bool, _ bit1: Bool) {
        let appraisal = appraise(Self.set(bit0, bit1), refusing: [.bit1])
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
        arguments: [
            nil, .unavailable("asleep"), .answered([]), .answered(Array("<html>".utf8)), stated(),
            stated(("bits_set", .integer(1))), stated(("bits_set", .boolean(true))),
            stated(("bits_set", .boolean(true)), ("bit0", .boolean(false))),
            stated(("bits_set", .boolean(true)), ("bit0", .boolean(false)), ("bit1", .text("no"))),
            stated(
                ("bits_set", .boolean(true)), ("bit0", .boolean(false)), ("bit1", .boolean(false)),
                ("bits_last_set", .integer(2024))),
        ] as [OutsideAnswer?])
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
        #expect(appraise(Self.neverSet, token: [UInt8](repeating: 1, count: 8193)).failure?.code == "evidence_too_large")
    }

    @Test("A token is for assertions only, and is spent by itself")
    func kind() {
        let verifier = DeviceCheckVerifier(policy: DeviceCheckPolicy(spendsTokenFor: 7))
        #expect(verifier.purposes == [.assert])
        #expect(verifier.replayProtection.remembersUseFor == 7)
    }
}
