import AssayCore
import Testing

@Suite("Arcs of extensions")
struct ExtensionArcTests {
    @Test(
        "An arc is what can be written in a certificate",
        arguments: ["1.3.6.1.4.1.32473.1", "0.39", "2.999.7", "\(ExtensionArc.fleet)"])
    func written(_ text: String) throws {
        #expect(try #require(ExtensionArc(text)).description == text)
    }

    @Test(
        "Other text is none",
        arguments: [
            "", "1", "3.1", "1.40", "2.", "1..2", "1.2.x", "1.2.+3", "1.2.-3", "1.2.4294967296", "2.24.4294967296",
            "2.25.1.4294967296",
            "2.25.340282366920938463463374607431768211456", "1.3" + String(repeating: ".1", count: 18),
            "1." + String(repeating: "9", count: 100_000), String(repeating: "1.", count: 100_000),
        ])
    func refused(_ text: String) {
        #expect(ExtensionArc(text) == nil)
    }

    @Test("The usual arcs are below the number of one UUID, and apart")
    func usual() {
        // `uuidgen` and X.667: the number of 29b343e7-b73f-4306-b9ae-85637925bea1.
        #expect("\(ExtensionArc.fleet)" == "2.25.55429146244720506038099901017286360737.1")
        #expect("\(ExtensionArc.statement)" == "2.25.55429146244720506038099901017286360737.2")
        #expect(!ExtensionArc.fleet.overlaps(.statement) && ExtensionArc.fleet.overlaps(.fleet))
        #expect(ExtensionArc("2.25")?.overlaps(.fleet) == true)
    }
}
