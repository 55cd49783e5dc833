import AssayCore
import Testing

@testable import AssayStore

@Suite("Spent period")
struct SpentPeriodTests {
    @Test(
        "holds every expiry up to its last one",
        arguments: [
            0, 1, 599_999, 600_000, -1, -600_000, -600_001, 1_750_000_000_000, Int64.max, Int64.min + 2_000_000_000,
        ] as [Int64])
    func bounds(_ milliseconds: Int64) {
        let expiry = Timestamp(unixMilliseconds: milliseconds)
        let period = SpentPeriod(expiry: expiry, spentAt: expiry)
        #expect(period.last >= expiry)
        #expect(period.last.milliseconds(since: expiry) < 600_000)
        #expect(SpentPeriod(expiry: period.last, spentAt: period.last) == period)
        #expect(SpentPeriod(table: period.table) == period)
    }

    @Test("is a day for tokens that are kept long")
    func long() {
        let now = Timestamp(unixSeconds: 1_750_000_000)
        #expect(SpentPeriod(expiry: now.adding(milliseconds: 7_200_000), spentAt: now).length == 600)
        #expect(SpentPeriod(expiry: now.adding(milliseconds: 7_200_001), spentAt: now).length == 86_400)
    }

    @Test("reads no other name", arguments: ["spent", "spent_600", "spent_600_x", "spent_60_1", "spent_600_1_2", "x_600_1"])
    func names(_ name: String) { #expect(SpentPeriod(table: name) == nil) }
}
