import AssayTesting
import Testing

@Suite("Digest coverage")
struct DigestCoverageTests {
    struct Rule {
        var mode = "report"
        var limit: Int? = 1
    }

    struct Item {
        var name = "first"
        var words: Set<String> = ["a"]
    }

    struct Section {
        var rule = Rule()
        var items = [Item()]
        var exchange: Rule? = Rule()
        var team = "team"
    }

    private static func digest(_ section: Section) -> [UInt8] {
        let items = section.items.map { $0.name + $0.words.sorted().joined() }.joined(separator: ",")
        return Array("\(section.rule.mode) \(section.rule.limit ?? 0) \(items) \(section.exchange == nil)".utf8)
    }

    private static var variations: [String: (inout Section) -> Void] {
        [
            "rule.mode": { $0.rule.mode = "require" },
            "rule.limit": { $0.rule.limit = nil },
            "items": { $0.items.append(Item(name: "second")) },
            "items.name": { $0.items[0].name = "other" },
            "items.words": { $0.items[0].words.insert("b") },
            "exchange": { $0.exchange = nil },
        ]
    }

    private static let unrelated = [
        "team": "names a key", "exchange.mode": "in the background", "exchange.limit": "in the background",
    ]

    private func problems(
        _ variations: [String: (inout Section) -> Void] = Self.variations, _ unrelated: [String: String] = Self.unrelated
    ) -> [String] {
        DigestCoverage(base: Section(), digest: Self.digest, variations: variations, unrelated: unrelated).problems
    }

    @Test("A table that names every field has no problems")
    func whole() { #expect(problems() == []) }

    @Test(
        "A field without a variation is a problem, also one of a nested struct, an optional or a list",
        arguments: ["rule.mode", "rule.limit", "items", "items.name", "items.words", "exchange"])
    func forgotten(_ name: String) {
        var rest = Self.variations
        rest[name] = nil
        #expect(problems(rest) == ["\(name) has no variation"])
    }

    @Test("A variation that leaves the digest equal is a problem")
    func equal() {
        var table = Self.variations
        table["rule.mode"] = { _ in }
        table["team"] = { $0.team = "other" }
        #expect(problems(table) == ["rule.mode does not move the digest"])
        #expect(problems(table, ["exchange.mode": "background", "exchange.limit": "background"]).count == 2)
    }

    @Test("An unrelated field that moves the digest is a problem, and so is one without a reason")
    func unrelated() {
        #expect(
            problems(Self.variations, ["exchange": "background", "team": ""]) == [
                "exchange moves the digest, although it is named as unrelated", "team is unrelated for no reason",
            ])
    }

    @Test("A name of no field is a problem")
    func strange() {
        var table = Self.variations
        table["rule.size"] = { _ in }
        #expect(problems(table).contains("rule.size is no field, or stands below one"))
    }
}
