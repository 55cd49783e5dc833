package import AssayCore

/// Strict PEM (RFC 7468 §3, `stricttextualmsg`): blocks of one label, lines of 64 characters, LF or CRLF, and nothing
/// but empty lines around them.
package enum PEM {
    /// Blocks in one text. The longest list of anchors in use has fewer than ten.
    package static let blockLimit = 64
    private static let lineLength = 64

    /// The contents of all blocks, in order; at least one.
    package static func decode(
        _ text: some StringProtocol, label: String = "CERTIFICATE", code: ReasonCode = .malformedCertificate
    ) throws(Rejection) -> [[UInt8]] {
        let (begin, end) = (Array("-----BEGIN \(label)-----".utf8), Array("-----END \(label)-----".utf8))
        var blocks: [[UInt8]] = []
        var body: [UInt8] = []
        var isOpen = false
        var isLastLine = false
        for var line in Array(text.utf8).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
            if !isOpen {
                if line.isEmpty { continue }
                guard line.elementsEqual(begin) else {
                    let other = labels(in: String(decoding: line, as: UTF8.self)).first
                    let problem = other.map { "a PEM block of \"\($0.shownName)\", want \"\(label)\"" }
                    throw Rejection(code, problem ?? "text outside a PEM block of \"\(label)\"")
                }
                guard blocks.count < blockLimit else { throw Rejection(code, "more than \(blockLimit) PEM blocks") }
                (isOpen, isLastLine) = (true, false)
                body.removeAll(keepingCapacity: true)
            } else if line.elementsEqual(end) {
                guard !body.isEmpty, let block = Base64.standard.decode(String(decoding: body, as: UTF8.self)) else {
                    throw Rejection(code, "a PEM block is not Base64")
                }
                blocks.append(block)
                isOpen = false
            } else {
                guard !isLastLine, !line.isEmpty, line.count <= lineLength else {
                    throw Rejection(code, "a PEM line is not 64 long")
                }
                isLastLine = line.count < lineLength
                body.append(contentsOf: line)
            }
        }
        guard !isOpen else { throw Rejection(code, "a PEM block does not end") }
        guard !blocks.isEmpty else { throw Rejection(code, "no PEM block") }
        return blocks
    }

    /// The labels of the blocks in a text that may also hold other lines, in order.
    package static func labels(in text: some StringProtocol) -> [String] {
        text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            guard line.starts(with: "-----BEGIN ".utf8), line.reversed().starts(with: "-----".utf8) else { return nil }
            return String(decoding: line.dropFirst(11).dropLast(5), as: UTF8.self)
        }
    }

    package static func encode(_ bytes: some Collection<UInt8>, label: String = "CERTIFICATE") -> String {
        var text = "-----BEGIN \(label)-----\n"
        var rest = Base64.standard.encode(bytes)[...]
        while !rest.isEmpty {
            text += rest.prefix(lineLength) + "\n"
            rest = rest.dropFirst(lineLength)
        }
        return text + "-----END \(label)-----\n"
    }
}
