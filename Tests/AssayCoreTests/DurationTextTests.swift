import AssayCore
import Testing

@Suite("Durations as text")
struct DurationTextTests {
    @Test("A whole number and a unit is read, and nothing else")
    func reading() {
        for (text, milliseconds) in [
            ("250ms", 250), ("30s", 30_000), ("5m", 300_000), ("24h", 86_400_000), ("7d", 604_800_000), ("0s", 0),
            ("007s", 7000),
        ] as [(String, Int64)] { #expect(DurationText.milliseconds(text) == milliseconds, "\(text)") }
        for text in [
            "", "5", "s", "5 s", "5S", "-5s", "+5s", "1.5h", "5min", "1h30m", "٣s", "5s ", "9223372036854775807d",
            "99999999999999999999s",
        ] { #expect(DurationText.milliseconds(text) == nil, "\(text)") }
    }

    @Test("Written exactly it is read again, in the largest unit that is whole")
    func exact() {
        for (milliseconds, text) in [
            (0, "0s"), (1, "1ms"), (999, "999ms"), (1000, "1s"), (1500, "1500ms"), (60_000, "1m"), (90_000, "90s"),
            (3_600_000, "1h"), (86_400_000, "1d"), (90_000_000, "25h"), (31_622_400_000, "366d"), (-60_000, "-1m"),
        ] as [(Int64, String)] {
            #expect(DurationText.exact(milliseconds) == text)
            if milliseconds >= 0 { #expect(DurationText.milliseconds(text) == milliseconds) }
        }
    }

    @Test("To the second it is composed of the units that it has")
    func toTheSecond() {
        for (milliseconds, text) in [
            (0, "0s"), (999, "0s"), (-999, "0s"), (1000, "1s"), (61_999, "1m1s"), (7_300_000, "2h1m40s"), (3_600_000, "1h"),
            (86_400_000, "1d"), (90_061_000, "1d1h1m1s"), (-65_000, "-1m5s"), (.min, "-106751991167d7h12m55s"),
        ] as [(Int64, String)] { #expect(DurationText.toTheSecond(milliseconds) == text) }
    }

    @Test("Rounded it has two of its unit at least")
    func rounded() {
        for (milliseconds, text) in [
            (0, "0ms"), (1999, "1999ms"), (2000, "2s"), (119_999, "119s"), (123_456, "2m"), (7_200_000, "2h"),
            (172_799_999, "47h"), (172_800_000, "2d"), (-2500, "-2s"), (.min, "-106751991167d"),
        ] as [(Int64, String)] { #expect(DurationText.rounded(milliseconds) == text) }
    }

    @Test("What people write in other forms is understood, and nothing that may mean two things")
    func meant() {
        for (text, meant) in [
            ("5 minutes", "5m"), ("5min", "5m"), ("5M", "5m"), ("1m30s", "90s"), ("1.5h", "90m"), ("PT5M", "5m"), ("P1D", "1d"),
            ("1y", "365d"), ("2 weeks", "14d"), ("90 sec", "90s"), ("0.5s", "500ms"),
        ] { #expect(DurationText.meant(by: text) == meant, "\(text)") }
        for text in ["", "5", "five minutes", "00:05:00", "-5m", "5x", "1e3s", "0s", String(repeating: "1m", count: 40)] {
            #expect(DurationText.meant(by: text) == nil, "\(text)")
        }
    }
}
