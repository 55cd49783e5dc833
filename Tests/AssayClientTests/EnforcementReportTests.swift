import AssayAPI
import AssayClient
import AssayCore
import Foundation
import SwiftProtobuf
import Testing

@Suite("Enforcement report")
struct EnforcementReportTests {
    private static let since = Timestamp(unixSeconds: 1_800_000_000)
    private static let until = Self.since.adding(milliseconds: 3 * 86_400_000)

    private func record(
        _ reason: ReasonCode, device: UInt8 = 0, day: Int64 = 0, enforced: Bool = false, count: Int64 = 1, model: String = ""
    ) -> Assay_V1_VerdictRecord {
        .with {
            $0.decision = .rejected
            $0.reason = reason.rawValue
            $0.wouldReject = !enforced
            $0.standsFor = count
            $0.deviceID = device == 0 ? Data() : Data(repeating: device, count: 16)
            $0.timeUnixMs = Self.since.adding(milliseconds: day * 86_400_000 + 1).unixMilliseconds
            $0.formats = ["android.key"]
            if !model.isEmpty { $0.traits = .with { ($0.platform, $0.model, $0.osVersion) = ("android", model, "16") } }
        }
    }

    private func report(_ records: [Assay_V1_VerdictRecord]) -> EnforcementReport {
        EnforcementReport(records, since: Self.since, until: Self.until)
    }

    @Test("A device looks honest if it is known and none of its rejections is a replay, wherever in the period that stands")
    func honest() {
        let report = report([
            record(.osVersion, device: 1), record(.osVersion, device: 1), record(.osVersion, device: 2),
            record(.counterTooOld, device: 2, day: 2, enforced: true), record(.osVersion),
            record(.bootState, device: 3, count: 100),
        ])
        #expect(report.total.verdicts == 104 && report.total.honest == 102 && report.total.unknown == 1)
        #expect(report.total.honestShare == 99 && report.devices == (3, 2) && report.refused == (1, 1))
        let reasons = report.groups[.reason] ?? []
        #expect(reasons.map(\.name) == ["boot_state", "os_version"] && reasons.map(\.verdicts) == [100, 4])
        #expect(reasons.map(\.honestShare) == [100, 67])
    }

    @Test("Groups are by what the evidence says; a platform that it does not say is named by the formats")
    func groups() {
        let report = report([
            record(.osVersion, device: 1, model: "Pixel 9"), record(.osVersion, day: 1, count: 2), record(.malformed, day: 1),
        ])
        #expect(report.groups[.platform]?.map(\.name) == ["android.key", "android"])
        #expect(report.groups[.model]?.map(\.name) == ["", "Pixel 9"] && report.groups[.model]?.map(\.verdicts) == [3, 1])
        #expect(report.days.map(\.verdicts).prefix(2) == [1, 3] && report.days.count == 4, "the period begins within a day")
        #expect(report.days.first?.name == "2027-01-15")
    }

    @Test("What was not rejected, and no record at all, make an empty report")
    func empty() {
        var accepted = record(.osVersion)
        accepted.decision = .accepted
        let report = report([accepted])
        #expect(report.total.verdicts == 0 && report.total.honestShare == nil && report.groups.isEmpty)
        #expect(report.page().contains("None.") && report.summary.first == "0 verdicts would be refused")
    }

    @Test("The page is whole by itself, and what devices say cannot break out of it")
    func page() throws {
        let report = report([record(.osVersion, device: 1, model: "<script>&\"'\u{7}"), record(.bootState)])
        let page = report.page()
        #expect(page.hasPrefix("<!DOCTYPE html>") && page.contains("<svg") && page.contains("<rect class=\"honest\""))
        #expect(!page.contains("<script") && page.contains("&lt;script&gt;&amp;&quot;&#39;"))
        for reference in ["http:", "https:", "src=", "href=", "url(", "@import"] { #expect(!page.contains(reference)) }
        #expect(!page.contains("not shown") && report.page(limit: 1).contains("1 more are not shown"))
        let (begun, ended) = (page.components(separatedBy: "<svg"), page.components(separatedBy: "</svg>"))
        #expect(begun.count == ended.count)
    }
}
