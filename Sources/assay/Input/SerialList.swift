import AssayCore
import Foundation

/// The serial numbers of a file, one a line. Empty lines and lines that begin with `#` are none.
struct SerialList {
    struct Entry {
        /// Counted from 1.
        let line: Int
        let serial: String
    }

    /// Each serial number once, in the order of the file.
    private(set) var entries: [Entry] = []
    /// Lines with a serial number that stands above.
    private(set) var repeated: [Entry] = []
    private(set) var comments = 0

    init(_ file: FileArgument) throws {
        guard let text = String(validating: try file.read(), as: UTF8.self) else {
            throw Console.unreadable("\(file.path) is not UTF-8")
        }
        self.init(text)
    }

    init(_ text: String) {
        var known: Set<OpaqueText> = []
        // Some editors begin a file with the byte order mark.
        let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let serial = line.trimmingCharacters(in: .whitespaces)
            guard !serial.isEmpty else { continue }
            guard !serial.utf8.starts(with: "#".utf8) else {
                comments += 1
                continue
            }
            let entry = Entry(line: index + 1, serial: serial)
            if known.insert(OpaqueText(serial)).inserted { entries.append(entry) } else { repeated.append(entry) }
        }
    }

    // MARK: What looks odd

    /// Serial numbers that are probably not meant so, and why, in the order of the file.
    var odd: [(entry: Entry, why: String)] {
        let usual = usualForm
        var lower: [String: Int] = [:]
        return entries.compactMap { entry in
            let twin = lower.updateValue(entry.line, forKey: entry.serial.lowercased())
            if let why = Self.oddity(of: entry.serial) { return (entry, why) }
            if let twin { return (entry, "as line \(twin), but for capital letters") }
            if let usual, Self.form(of: entry.serial) != usual { return (entry, "another form than most, which is \(usual)") }
            return nil
        }
    }

    private static func oddity(of serial: String) -> String? {
        let scalars = serial.unicodeScalars
        if scalars.contains(where: \.properties.isWhitespace) { return "white space in it" }
        if scalars.contains(where: { ",;\t\"'".unicodeScalars.contains($0) }) {
            return "a separator or quotation mark: a line of CSV?"
        }
        if serial.contains("#") || serial.contains("//") { return "a comment behind it?" }
        if scalars.contains(where: { !$0.isASCII }) { return "a character other than ASCII" }
        if scalars.count > 255 { return "longer than 255 characters" }
        return nil
    }

    /// The form of at least nine of ten serial numbers; `nil`: there is none, or there are too few to tell.
    private var usualForm: String? {
        guard entries.count >= 10 else { return nil }
        var counts: [String: Int] = [:]
        for entry in entries { counts[Self.form(of: entry.serial), default: 0] += 1 }
        return counts.first { $0.value * 10 >= entries.count * 9 }?.key
    }

    /// The serial number with `9` for a digit, `A` for a capital letter and `a` for another one.
    private static func form(of serial: String) -> String {
        String(
            String.UnicodeScalarView(
                serial.unicodeScalars.map { (scalar: Unicode.Scalar) -> Unicode.Scalar in
                    switch scalar {
                    case "0"..."9": "9"
                    case "A"..."Z": "A"
                    case "a"..."z": "a"
                    default: scalar
                    }
                }))
    }
}
