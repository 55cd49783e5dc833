import AssayCore

/// The simulator's file format: a title, then one `name: value` per line.
struct SavedText {
    private let title: String
    private var lines: [(name: String, value: String)] = []

    init(_ title: String) { self.title = title }

    mutating func add(_ name: String, _ value: String) { lines.append((name, value)) }
    mutating func add(_ name: String, _ bytes: [UInt8]) { add(name, Hex.encode(bytes)) }

    var text: String { lines.reduce(into: title + "\n") { $0 += "\($1.name): \($1.value)\n" } }

    /// Reads a text with this title. Unknown names are kept and ignored.
    init(_ title: String, reading text: String) throws(SimulatorError) {
        self.init(title)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
        guard lines.first.map(String.init) == title else { throw .unreadable("want \"\(title)\"") }
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw .unreadable("a line without a colon") }
            add(String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
    }

    func string(_ name: String) throws(SimulatorError) -> String {
        guard let line = lines.first(where: { $0.name == name }) else { throw .unreadable("no \(name)") }
        return line.value
    }

    func optionalString(_ name: String) -> String? { lines.first { $0.name == name }?.value }

    /// The values of all lines of that name, in order.
    func strings(_ name: String) -> [String] { lines.filter { $0.name == name }.map(\.value) }

    func allBytes(_ name: String) throws(SimulatorError) -> [[UInt8]] {
        var all: [[UInt8]] = []
        for text in strings(name) {
            guard let bytes = Hex.decode(text) else { throw .unreadable("\(name) is not hexadecimal") }
            all.append(bytes)
        }
        return all
    }

    func bytes(_ name: String) throws(SimulatorError) -> [UInt8] {
        guard let bytes = Hex.decode(try string(name)) else { throw .unreadable("\(name) is not hexadecimal") }
        return bytes
    }

    func number<N: FixedWidthInteger>(_ name: String) throws(SimulatorError) -> N {
        guard let number = N(try string(name)) else { throw .unreadable("\(name) is not a number in range") }
        return number
    }
}
