import AssayTracing
import Testing

@Suite("Trace parents")
struct TraceParentTests {
    private static let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test("A trace parent of version 00 is read, and written as it came")
    func version00() throws {
        let parent = try TraceParent(parsing: Self.good)
        #expect("\(parent.traceID)" == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect("\(parent.spanID)" == "00f067aa0ba902b7")
        #expect(parent.traceID.bytes.count == 16 && parent.traceID.bytes.first == 0x4b && parent.traceID.bytes.last == 0x36)
        #expect(parent.spanID.bytes == [0, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7])
        #expect(parent.isSampled && !parent.isRandom)
        #expect(parent.description == Self.good)
    }

    @Test(
        "Of the flags, sampled and random are read, and unknown ones are not passed on",
        arguments: [
            ("00", false, false), ("01", true, false), ("02", false, true), ("03", true, true), ("ff", true, true),
            ("f0", false, false),
        ])
    func flags(_ flags: String, _ isSampled: Bool, _ isRandom: Bool) throws {
        let parent = try TraceParent(parsing: String(Self.good.dropLast(2)) + flags)
        #expect(parent.isSampled == isSampled && parent.isRandom == isRandom)
        #expect(parent.description.hasSuffix("-0\((isSampled ? 1 : 0) + (isRandom ? 2 : 0))"))
    }

    @Test(
        "Each malformed trace parent is refused, with its cause",
        arguments: [
            ("", TraceParentProblem.tooShort), ("00", .tooShort),
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0", .tooShort),
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-", .tooShort),
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-", .tooLong),
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what", .tooLong),
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-012", .tooLong),
            ("00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", .wrongSeparator),
            ("00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01", .wrongSeparator),
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7.01", .wrongSeparator),
            ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more", .wrongSeparator),
            ("00-4BF92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", .notHexadecimal),
            ("0x-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", .notHexadecimal),
            ("00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01", .notHexadecimal),
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0é", .notHexadecimal),
            (" 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", .notHexadecimal),
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 ", .tooLong),
            ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", .forbiddenVersion),
            ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", .traceIDZero),
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", .parentIDZero),
        ])
    func malformed(_ text: String, _ problem: TraceParentProblem) {
        #expect(throws: problem) { try TraceParent(parsing: text) }
    }

    @Test("Every cause has a sentence of its own")
    func causes() {
        let sentences = Set(TraceParentProblem.allCases.map(\.description))
        #expect(sentences.count == TraceParentProblem.allCases.count && TraceParentProblem.allCases.count == 7)
    }

    @Test("Of a later version the same parts are read, with or without more behind them", arguments: ["", "-", "-00-more"])
    func later(_ more: String) throws {
        let parent = try TraceParent(parsing: "cc" + Self.good.dropFirst(2) + more)
        #expect(parent.description == Self.good, "it is passed on as version 00")
    }

    @Test("No text of mutated bytes traps, and what is read is written the same way")
    func mutations() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<5000 {
            var bytes = Array(Self.good.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0x20...0x7E, using: &random), at: place)
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            if let parent = try? TraceParent(parsing: text) {
                #expect(try TraceParent(parsing: parent.description).traceID == parent.traceID)
            }
        }
    }
}

@Suite("Trace states")
struct TraceStateTests {
    @Test(
        "Members are kept in their order, without white space and empty members",
        arguments: [
            ("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"),
            (" a=1 ,\t b=2 ,, c=3", "a=1,b=2,c=3"), ("tenant@system=x y", "tenant@system=x y"), ("0a-_*/=~!", "0a-_*/=~!"),
        ])
    func good(_ text: String, _ kept: String) { #expect(TraceState(parsing: text)?.text == kept) }

    @Test(
        "A field that is not of the form is dropped as a whole",
        arguments: [
            "", " , ", "a", "=1", "a=", "A=1", "a=1,b", "a=1,a=2", "a=1=2", "_a=1", "é=1", "a=é", "a=\u{1}",
            String(repeating: "a", count: 257) + "=1", "a=" + String(repeating: "1", count: 257),
        ])
    func malformed(_ text: String) { #expect(TraceState(parsing: text) == nil) }

    @Test("At most 32 members and 512 bytes are kept")
    func limits() {
        let members = (0..<33).map { "k\($0)=v" }
        #expect(TraceState(parsing: members.prefix(32).joined(separator: ",")) != nil)
        #expect(TraceState(parsing: members.joined(separator: ",")) == nil)
        let long = (0..<3).map { "k\($0)=" + String(repeating: "v", count: 200) }.joined(separator: ",")
        #expect(TraceState(parsing: long) == nil && TraceState(parsing: String(long.prefix(400))) != nil)
    }
}
