/// What the document of a capture states from version 2 on beside its signals (`docs/reference/capture-documents.md`, "Version 2").
public struct CaptureStatements: Hashable, Sendable {
    public var mode = SignalDocument.Mode.full
    public var depth: DepthNumbers?
    public var metadata: CaptureMetadata?
    public var flags: CaptureFlags?
    /// The app's own `final_score`.
    public var finalScore: Score?
    /// What methods found, by the names of the evidence model's members, in the order of ``MethodMembers``.
    package var details: [String: JSONObject] = [:]

    public init() {}

    /// Throws `malformed` for a member of another type, and for a word, number or text out of its range.
    init(_ fields: JSONFields) throws(Rejection) {
        if let word = try fields.text("mode") {
            guard let mode = SignalDocument.Mode(bytesOf: word) else {
                throw SignalDocument.malformed("mode is not full or hash_only")
            }
            self.mode = mode
        }
        depth = try fields.section("depth").map { (fields) throws(Rejection) in try DepthNumbers(fields) }
        metadata = try fields.section("metadata").map { (fields) throws(Rejection) in try CaptureMetadata(fields) }
        flags = try fields.section("flags").map { (fields) throws(Rejection) in try CaptureFlags(fields) }
        finalScore = try fields.decimal("final_score", "a number from 0 to 1") { Score(decimal: $0) }
        for (method, members) in MethodMembers.stated {
            guard let section = try fields.section("signals")?.section(method) else { continue }
            let found = try members.read(from: section)
            if !found.members.isEmpty { details[method] = found }
        }
    }
}

/// What the app promises to leave out of the metadata. A flag that is missing promises nothing.
public struct CaptureFlags: Hashable, Sendable {
    public enum Location: String, CaseIterable, Hashable, Sendable {
        case none
        /// Coordinates of at most 0.01°.
        case coarse
        case precise
    }

    public enum Time: String, CaseIterable, Hashable, Sendable {
        case none
        case dayOnly = "day_only"
        case exact
    }

    public enum Device: String, CaseIterable, Hashable, Sendable {
        case none
        case modelOnly = "model_only"
        case full
    }

    public var location: Location?
    public var time: Time?
    public var device: Device?

    public init(location: Location? = nil, time: Time? = nil, device: Device? = nil) {
        (self.location, self.time, self.device) = (location, time, device)
    }

    init(_ fields: JSONFields) throws(Rejection) {
        location = try fields.choice("location", "flags.location is not none, coarse or precise") { Location(bytesOf: $0) }
        time = try fields.choice("timestamp", "flags.timestamp is not none, day_only or exact") { Time(bytesOf: $0) }
        device = try fields.choice("device", "flags.device is not none, model_only or full") { Device(bytesOf: $0) }
    }

    /// What the user opted out of, by the names of the flags.
    var optedOut: [String] {
        [("location", location == Location.none), ("timestamp", time == Time.none), ("device", device == Device.none)]
            .compactMap { $0.1 ? $0.0 : nil }
    }
}

/// When, where and with what a capture was made, as the app states it. Every member may be missing.
public struct CaptureMetadata: Hashable, Sendable {
    public enum Time: Hashable, Sendable {
        case instant(Timestamp)
        /// A day of the device's calendar, without a time of day.
        case day(CivilDate)
    }

    public struct Location: Hashable, Sendable {
        /// In 10^-9 degrees.
        public let latitude: Int64
        /// In 10^-9 degrees.
        public let longitude: Int64

        public init(latitude: Int64, longitude: Int64) { (self.latitude, self.longitude) = (latitude, longitude) }

        /// Whether both are multiples of 0.01°, as they are after rounding to 10^-9°: binary floating point writes 48.14 as 48.140000000000001.
        var isCoarse: Bool { latitude % 10_000_000 == 0 && longitude % 10_000_000 == 0 }
    }

    /// The longest text of a member, in bytes.
    static let textLimit = 64

    public var capturedAt: Time?
    /// The app sends the capture from its offline queue.
    public var isLate = false
    public var model: String?
    /// In pixels.
    public var width: Int64?
    /// In pixels.
    public var height: Int64?
    public var location: Location?
    public var serial: String?
    public var build: String?

    public init() {}

    init(_ fields: JSONFields) throws(Rejection) {
        capturedAt = try fields.choice(
            "captured_at", "metadata.captured_at is not a time or a day of RFC 3339, such as 2026-04-21T18:13:13Z or 2026-04-21"
        ) { Time($0) }
        isLate = try fields.boolean("late") ?? false
        model = try fields.short("model")
        (width, height) = (try fields.pixels("width"), try fields.pixels("height"))
        if let section = try fields.section("location") {
            location = Location(
                latitude: try section.degrees("latitude", most: 90), longitude: try section.degrees("longitude", most: 180))
        }
        if let section = try fields.section("device") {
            (serial, build) = (try section.short("serial"), try section.short("build"))
        }
    }
}

extension CaptureMetadata.Time {
    /// RFC 3339: a `full-date`, or a `date-time` in UTC or with an offset.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        if bytes.count == 10 {
            guard let midnight = Timestamp(rfc3339: text + "T00:00:00Z") else { return nil }
            self = .day(CivilDate(daysSince1970: midnight.unixMilliseconds.flooredDivision(by: 86_400_000).quotient))
            return
        }
        guard bytes.count > 6, bytes.last != UInt8(ascii: "Z") else {
            guard let time = Timestamp(rfc3339: text) else { return nil }
            self = .instant(time)
            return
        }
        let offset = String(decoding: bytes.suffix(5), as: UTF8.self)
        let sign = bytes[bytes.count - 6]
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            let difference = Timestamp(rfc3339: "1970-01-01T\(offset):00Z"),
            let local = Timestamp(rfc3339: String(decoding: bytes.dropLast(6), as: UTF8.self) + "Z")
        else { return nil }
        let milliseconds = difference.unixMilliseconds
        self = .instant(local.adding(milliseconds: sign == UInt8(ascii: "+") ? -milliseconds : milliseconds))
    }

    /// As it was written, with an instant in UTC.
    var text: String {
        switch self {
        case .instant(let time): time.description
        case .day(let day): String(Timestamp(unixSeconds: day.daysSince1970 * 86_400).description.prefix(10))
        }
    }
}

extension JSONFields {
    /// A text that is one of the known words.
    fileprivate func choice<Word>(_ name: String, _ problem: String, _ word: (String) -> Word?) throws(Rejection) -> Word? {
        guard let text = try text(name) else { return nil }
        guard text.utf8.count <= CaptureMetadata.textLimit, let known = word(text) else {
            throw SignalDocument.malformed(problem)
        }
        return known
    }

    /// A text of 1 to 64 bytes.
    func short(_ name: String) throws(Rejection) -> String? {
        guard let text = try text(name) else { return nil }
        guard (1...CaptureMetadata.textLimit).contains(text.utf8.count) else {
            throw SignalDocument.malformed(
                "\(place(of: name)) has \(text.utf8.count) bytes, want 1 to \(CaptureMetadata.textLimit)")
        }
        return text
    }

    func decimal<Number>(_ name: String, _ wanted: String, _ read: (ArraySlice<UInt8>) -> Number?) throws(Rejection) -> Number?
    {
        switch object[name.utf8] {
        case nil, .null?: return nil
        case .number(let digits)?:
            if let number = read(digits) { return number }
            fallthrough
        default: throw SignalDocument.malformed("\(place(of: name)) is not \(wanted)")
        }
    }

    fileprivate func pixels(_ name: String) throws(Rejection) -> Int64? {
        guard let pixels = try integer(name) else { return nil }
        guard (1...1_000_000).contains(pixels) else {
            throw SignalDocument.malformed("\(place(of: name)) is not 1 to 1000000 pixels")
        }
        return pixels
    }

    fileprivate func degrees(_ name: String, most: UInt64) throws(Rejection) -> Int64 {
        let degrees = try decimal(name, "a number from -\(most) to \(most)") { digits -> Int64? in
            guard let (isNegative, units) = DecimalText.read(digits, places: 9, most: most), let degrees = Int64(exactly: units)
            else {
                return nil
            }
            return isNegative ? -degrees : degrees
        }
        return try required(name, degrees)
    }
}
