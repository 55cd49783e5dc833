import AssayCore
import Testing

@testable import AssaySQLite

@Suite("Spent period")
struct SpentBucketTests {
    @Test(
        "A period contains all expiries up to its last",
        arguments: [
            0, 1, 599_999, 600_000, -1, -600_000, -600_001, 1_750_000_000_000, Int64.max, Int64.min + 2_000_000_000,
        ] as [Int64])
    func bounds(_ milliseconds: Int64) {
        for isFixed in [true, false] {
            let expiry = Timestamp(unixMilliseconds: milliseconds)
            let period = SpentBucket(spend(expiry, isFixed), at: expiry)
            #expect(period.last >= expiry)
            #expect(period.last.milliseconds(since: expiry) < 600_000)
            #expect(SpentBucket(spend(period.last, isFixed), at: period.last) == period)
            #expect(SpentBucket(table: period.table) == period)
        }
    }

    private func spend(_ expiry: Timestamp, _ isFixed: Bool = false) -> LedgerEntry.Spend {
        LedgerEntry.Spend(token: [], expiry: expiry, expiryIsFixed: isFixed)
    }

    @Test("The period of long-lived tokens is a day")
    func long() {
        let expiry = Sample.now.adding(milliseconds: 7_200_001)
        #expect(SpentBucket(spend(expiry), at: Sample.now.adding(milliseconds: 1)).length == 600)
        #expect(SpentBucket(spend(expiry), at: Sample.now).length == 86_400)
    }

    @Test("The period of a token with a fixed expiry does not depend on the time")
    func fixed() {
        let expiry = Sample.now.adding(milliseconds: 40 * 86_400_000)
        let early = SpentBucket(spend(expiry, true), at: Sample.now)
        #expect(SpentBucket(spend(expiry, true), at: expiry) == early)
    }

    @Test(
        "Other table names are not periods",
        arguments: ["spent", "spent_token_600", "spent_token_600_x", "spent_token_60_1", "spent_x_600_1", "x_token_600_1"])
    func names(_ name: String) { #expect(SpentBucket(table: name) == nil) }
}
