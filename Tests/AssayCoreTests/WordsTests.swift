import AssayCore
import Testing

@Suite("Timestamps and days")
struct TimestampTests {
    @Test(
        "Timestamps are shown in RFC 3339",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59.999Z"), (1_776_795_192_142, "2026-04-21T18:13:12.142Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"), (4_107_542_399_000, "2100-02-28T23:59:59Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00Z"), (1005, "1970-01-01T00:00:01.005Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (-62_167_219_200_000, "0000-01-01T00:00:00Z"),
        ] as [(Int64, String)])
    func description(_ milliseconds: Int64, _ text: String) {
        #expect(Timestamp(unixMilliseconds: milliseconds).description == text)
    }

    @Test("Timestamps are clamped to their range instead of overflowing")
    func ends() {
        #expect(Timestamp.distantFuture.adding(milliseconds: 1) == .distantFuture)
        #expect(Timestamp.distantPast.adding(milliseconds: -1) == .distantPast)
        #expect(Timestamp(unixMilliseconds: 5).adding(milliseconds: -7).unixMilliseconds == -2)
        #expect(Timestamp.distantFuture.milliseconds(since: .distantPast) == .max)
        #expect(Timestamp.distantPast.milliseconds(since: .distantFuture) == .min)
        #expect(Timestamp(unixMilliseconds: -1).milliseconds(since: .distantPast) == .max)
        #expect(Timestamp(unixMilliseconds: 0).milliseconds(since: .distantPast) == .max)
        #expect(Timestamp(unixSeconds: .max) == .distantFuture)
        #expect(Timestamp(unixSeconds: .min) == .distantPast)
        // Nothing traps at the ends.
        #expect(!Timestamp.distantFuture.description.isEmpty)
        #expect(!Timestamp.distantPast.description.isEmpty)
    }

    @Test("Days convert to numbers and back, leap years included")
    func days() throws {
        for days in stride(from: Int64(-719_528), through: 2_932_896, by: 61) {
            let date = CivilDate(daysSince1970: days)
            #expect(date.daysSince1970 == days)
            #expect(CivilDate(year: date.year, month: date.month, day: date.day) == date)
        }
        let leapDay = try #require(CivilDate(year: 2000, month: 2, day: 29))
        #expect(CivilDate(daysSince1970: leapDay.daysSince1970 + 1) == CivilDate(year: 2000, month: 3, day: 1))
        #expect(CivilDate(year: 1970, month: 1, day: 1)?.daysSince1970 == 0)
    }

    @Test(
        "Days that do not exist are refused",
        arguments: [(2100, 2, 29), (2001, 2, 29), (2000, 2, 30), (2024, 4, 31), (2024, 13, 1), (2024, 0, 1), (2024, 1, 0)]
            + [(2024, 1, 32), (-1, 1, 1), (10_000, 1, 1)] as [(Int64, Int64, Int64)])
    func noDays(_ year: Int64, _ month: Int64, _ day: Int64) {
        #expect(CivilDate(year: year, month: month, day: day) == nil)
    }
}

@Suite("Names")
struct NameTests {
    @Test("Hexadecimal is read back, in either case")
    func hex() {
        let all = Array(UInt8.min...UInt8.max)
        #expect(Hex.decode(Hex.encode(all)) == all)
        #expect(Hex.encode(all).uppercased() != Hex.encode(all))
        #expect(Hex.decode(Hex.encode(all).uppercased()) == all)
        #expect(Hex.decode("") == [])
        for wrong in ["0", "0g", "0x00", " 00", "00 ", "é0", "٠٠"] { #expect(Hex.decode(wrong) == nil) }
    }

    @Test("An app id has 1 to 64 characters of a small alphabet")
    func appID() {
        for good in ["a", "photos", "com.example_app-2", String(repeating: "z", count: 64)] {
            #expect(AppID(good)?.text == good)
        }
        for wrong in ["", "Photos", "a b", "a/b", "é", "a\0", "a\n", String(repeating: "z", count: 65)] {
            #expect(AppID(wrong) == nil)
        }
    }

    @Test("A device id is 16 bytes, shown with its prefix")
    func deviceID() throws {
        let id = try #require(DeviceID(bytes: Array(0..<16)))
        #expect(id.description == "dev_000102030405060708090a0b0c0d0e0f")
        #expect(DeviceID(id.description) == id)
        #expect(DeviceID(bytes: Array(0..<15)) == nil)
        #expect(DeviceID(bytes: Array(0..<17)) == nil)
        #expect(DeviceID.random() != DeviceID.random())
        let digits = String(id.description.dropFirst(4))
        for wrong in [
            "", "dev_", "DEV_" + digits, "dev-" + digits, id.description + "0", "dev_" + digits.dropLast() + "g",
        ] {
            #expect(DeviceID(wrong) == nil)
        }
    }

    @Test("Random bytes come in any number, and differ")
    func random() {
        for count in [0, 1, 7, 8, 9, 32] { #expect(SecureRandom.bytes(count).count == count) }
        #expect(SecureRandom.bytes(32) != SecureRandom.bytes(32))
    }
}
