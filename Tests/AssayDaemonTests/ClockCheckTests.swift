import AssayCore
import AssayDaemon
import Testing

@Suite("Clock check")
struct ClockCheckTests {
    private let now = Version.date.adding(milliseconds: 86_400_000)

    @Test("A plausible clock passes")
    func good() throws {
        try ClockCheck.check(now: now, lastEntry: nil)
        try ClockCheck.check(now: Version.date, lastEntry: nil)
        try ClockCheck.check(now: now, lastEntry: now.adding(milliseconds: -1))
        try ClockCheck.check(now: now, lastEntry: now.adding(milliseconds: ClockCheck.tolerance))
    }

    @Test("A clock before the program's release is refused")
    func early() {
        let error = #expect(throws: StartupError.self) {
            try ClockCheck.check(now: Version.date.adding(milliseconds: -1), lastEntry: nil)
        }
        #expect(error?.exitStatus == 71)
        #expect(error?.description.contains("2026-04-14T00:00:00Z") == true)
        #expect(error?.description.contains("--accept-clock") == true)
    }

    @Test("A clock behind the ledger by more than the skew is refused")
    func behind() {
        let error = #expect(throws: StartupError.self) {
            try ClockCheck.check(now: now, lastEntry: now.adding(milliseconds: ClockCheck.tolerance + 1))
        }
        #expect(error?.exitStatus == 71 && error?.description.contains("behind the ledger") == true)
        #expect(throws: StartupError.self) { try ClockCheck.check(now: now, lastEntry: .distantFuture) }
    }

    @Test("A day of the past is recognised")
    func built() {
        #expect(Version.date < SystemClock().now())
        #expect(Version.date.description == "2026-04-14T00:00:00Z")
    }
}
