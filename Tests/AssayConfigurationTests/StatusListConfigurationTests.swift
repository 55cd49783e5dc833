import AssayConfiguration
import AssayCore
import AssayResults
import AssaySchemes
import Testing

@testable import DaemonTesting

@Suite("The lifetime of status lists in the section results")
struct StatusListConfigurationTests {
    private func load(_ member: String) throws -> Configuration {
        let home = try ResultHome().home
        let text = home.folder.text("assayd.yaml")
        let section = "results: {issuer:"
        try #require(text.contains(section))
        try home.folder.write(text.replacing(section, with: "results: {\(member)issuer:"), to: "assayd.yaml")
        return try Configuration.load(home.configuration)
    }

    @Test(
        "is an hour unless the file says another, from 5 minutes to a day",
        arguments: [
            ("", 3_600_000), ("status_list_lifetime: 5m, ", 300_000), ("status_list_lifetime: 24h, ", 86_400_000),
        ] as [(String, Int64)])
    func read(_ member: String, _ lifetime: Int64) throws {
        let configuration = try load(member)
        #expect(configuration.live.results?.statusLists.lifetime == lifetime)
        #expect(configuration.summary.contains("signs status lists for \(DurationText.exact(lifetime))"))
    }

    @Test("is refused outside of these, since no key is published as long", arguments: ["299s", "25h", "0", "soon"])
    func refused(_ text: String) {
        let error = #expect(throws: ConfigurationError.self) { try load("status_list_lifetime: \(text), ") }
        #expect(error?.description.contains("status_list_lifetime") == true, "\(error?.description ?? "")")
    }
}
