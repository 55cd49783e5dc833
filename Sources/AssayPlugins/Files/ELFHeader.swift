/// What the beginning of an ELF executable says of how it is run (System V ABI, "Object Files" and "Program Loading"). Only
/// 64-bit little-endian files are read: those of the processors that Assay runs on.
struct ELFHeader: Equatable {
    /// The path of its interpreter (`PT_INTERP`); `nil` for a static executable.
    let interpreter: String?

    #if arch(x86_64)
        static let machine: UInt64 = 62
    #elseif arch(arm64)
        static let machine: UInt64 = 183
    #endif

    /// - Parameter head: at least the first 4096 bytes, or the whole of a shorter file.
    /// - Throws: why it cannot be run here: the end of a sentence that begins with the path.
    init(_ head: ArraySlice<UInt8>) throws(ELFProblem) {
        let head = Array(head)
        guard !head.starts(with: "#!".utf8) else { throw .script }
        guard head.starts(with: [0x7F] + "ELF".utf8) else { throw ELFProblem("is not an ELF executable") }
        func number(_ offset: Int, _ size: Int) throws(ELFProblem) -> UInt64 {
            guard offset >= 0, offset <= head.count - size else { throw ELFProblem("is not a whole ELF executable") }
            return head[offset..<offset + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        guard try number(4, 1) == 2, try number(5, 1) == 1, try number(18, 2) == Self.machine else {
            throw ELFProblem("is made for another processor than this machine's")
        }
        let type = try number(16, 2)
        guard type == 2 || type == 3 else { throw ELFProblem("is an ELF file, and no executable") }
        let (table, size, count) = (try number(32, 8), try number(54, 2), try number(56, 2))
        var interpreter: String?
        for index in 0..<count {
            guard let entry = Int(exactly: table)?.advanced(by: Int(index * size)), size >= 56 else {
                throw ELFProblem("is not a whole ELF executable")
            }
            guard try number(entry, 4) == 3 else { continue }
            let (offset, length) = (try number(entry + 8, 8), try number(entry + 32, 8))
            guard let start = Int(exactly: offset), let length = Int(exactly: length), length > 1, length <= 4096,
                start <= head.count - length
            else { throw ELFProblem("names its interpreter in an unreadable place") }
            interpreter = String(validating: head[start..<start + length - 1], as: UTF8.self)
        }
        self.interpreter = interpreter
    }
}

/// Why a file is no executable of this machine.
struct ELFProblem: Error, Equatable {
    let text: String
    init(_ text: String) { self.text = text }

    static let script = ELFProblem("is a script")
}
