import AssayDaemon
import AssayMetrics
import AssayPostgres
import Foundation
import Testing

@testable import DaemonTesting

@Suite("The page of the metrics")
struct MetricsPageTests {
    /// Set to write the table into the page instead of comparing.
    private static let regenerates = ProcessInfo.processInfo.environment["ASSAY_WRITE_DOCS"] == "1"

    private static func table(_ families: [MetricFamily]) -> String {
        var lines = ["| metric | type | labels | meaning |", "|---|---|---|---|"]
        for family in families {
            let labels = family.labels.map { "`\($0)`" }.joined(separator: ", ")
            lines.append("| `\(family.queryName)` | \(family.kind.rawValue) | \(labels) | \(family.help) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    @Test("The page lists every metric that the daemon exposes, and no other")
    func page() async throws {
        let operations = try await OperationsHome(onFile: true)
        let families = operations.daemon.observation.families
        await operations.end()
        // A family of several collectors is listed once.
        var seen: Set<String> = []
        let table = Self.table(families.filter { seen.insert($0.name).inserted })
        let text = try Package.text("docs/reference/metrics.md")
        let start = try #require(text.range(of: "| metric |"), "docs/reference/metrics.md has lost its table").lowerBound
        let end = text.range(of: "\n\n", range: start..<text.endIndex).map { text.index(after: $0.lowerBound) } ?? text.endIndex
        if Self.regenerates {
            try text.replacingCharacters(in: start..<end, with: table)
                .write(toFile: Package.path("docs/reference/metrics.md"), atomically: true, encoding: .utf8)
        } else {
            #expect(
                text[start..<end] == table,
                "docs/reference/metrics.md is stale. Regenerate: ASSAY_WRITE_DOCS=1 swift test --disable-index-store --filter AssayDaemonTests.MetricsPageTests"
            )
        }
    }

    @Test("The page lists the metrics that only a ledger on PostgreSQL has")
    func postgresql() throws {
        let text = try Package.text("docs/reference/metrics.md")
        #expect(text.contains(Self.table(PostgresLedger.ownMetricFamilies)))
        for family in PostgresLedger.ownMetricFamilies { #expect(family.problem == nil, "\(family.problem ?? "")") }
    }

    @Test("Every family follows the conventions of names, and no two have one name and two meanings")
    func conventions() async throws {
        let operations = try await OperationsHome(onFile: true)
        let families = operations.daemon.observation.families
        await operations.end()
        #expect(families.count > 60)
        for family in families {
            #expect(family.problem == nil, "\(family.problem ?? "")")
            #expect(families.filter { $0.name == family.name }.allSatisfy { $0 == family }, "\(family.name)")
        }
    }
}
