import AssayCore
import Testing

@Suite("Policy texts")
struct PolicyTextTests {
    @Test("A field goes into text and digest by one call, and its key only into the text")
    func fields() {
        var policy = PolicyText("test")
        policy.mark("section")
        policy.nested("section") { policy in
            policy.add("flag", flag: true)
            policy.nested("things", of: "a") { $0.add("level", hashed: 2, shown: "hardware") }
            policy.add("time", milliseconds: 90_000)
            policy.add("limit", optional: UInt32?.none)
            policy.add("list", list: ["x", "y"])
            policy.add("empty", list: [String]())
            policy.add("bytes", [0xAB, 1] as [UInt8])
        }
        #expect(
            policy.text == """
                section.flag = true
                section.things[a].level = hardware
                section.time = 90s
                section.limit = any
                section.list = x
                section.list = y
                section.empty = []
                section.bytes = ab01

                """)
        var fields = FieldDigest("test")
        fields.append("section")
        fields.append(1)
        fields.append(2)
        fields.append(90_000)
        fields.append("any")
        fields.append("x,y")
        fields.append("")
        fields.append([0xAB, 1] as [UInt8])
        #expect(policy.digest == fields.finalize())
    }

    @Test(
        "A value cannot look like another line or another value: what is not visible ASCII is escaped",
        arguments: [
            ("plain text, 1 = 2", "plain text, 1 = 2"), ("", "\"\""), ("[]", "\"[]\""), ("two\nlines", "\"two\\u000alines\""),
            (" space", "\" space\""), ("\"quoted\"", "\"\\\"quoted\\\"\""), ("é", "\"\\u00e9\""), ("😀", "\"\\ud83d\\ude00\""),
        ])
    func values(_ value: String, _ shown: String) {
        var policy = PolicyText("test")
        policy.add("key", value)
        #expect(policy.text == "key = \(shown)\n")
        #expect(policy.text.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test("A text ends at its limit and says how many lines it lacks; the digest covers them")
    func limit() {
        var policy = PolicyText("test")
        let value = String(repeating: "x", count: 1000)
        for _ in 0..<2000 { policy.add("key", value) }
        let whole = policy.digest
        #expect(policy.text.utf8.count <= PolicyText.limit + 100)
        let kept = PolicyText.limit / "key = \(value)\n".utf8.count
        #expect(policy.text.hasSuffix("# \(2000 - kept) lines more, which the digest covers\n"))
        policy.add("key", "another")
        #expect(policy.digest != whole)
    }

    @Test("A difference names each key with the values that only one of two policies states")
    func difference() {
        let old = "a = 1\nlist = x\nlist = y\nlist = y\nsame = s\nonly.old = o\n"
        let new = "list = y\nlist = z\nsame = s\na = 2\nonly.new = n\n"
        let lines = PolicyDifference(old, new).lines
        #expect(lines.map(\.key) == ["a", "list", "only.old", "only.new"])
        #expect(lines.map(\.removed) == [["1"], ["x", "y"], ["o"], []])
        #expect(lines.map(\.added) == [["2"], ["z"], [], ["n"]])
        #expect(PolicyDifference(old, old).lines.isEmpty)
        #expect(PolicyDifference("a = 1\nb = 2\n", "b = 2\na = 1\n").lines.isEmpty, "the order of lines does not matter")
    }
}
