import ArgumentParser
import AssayCore
import AssayEncoding
import Foundation

/// A certificate's serial number in hexadecimal of either case, in the forms in which certificates, lists and verdicts show it: with single
/// colons between digits, behind `0x` or `serial=`, with leading zeros, with an odd number of digits, or with white space around it.
struct SerialArgument: ExpressibleByArgument {
    static let forms = "hexadecimal, with or without colons, leading zeros, 0x and serial="

    /// An unsigned big-endian integer without leading zeros, 1 to 20 bytes.
    let bytes: [UInt8]

    init?(argument: String) {
        var rest = Substring(argument.trimmingCharacters(in: .whitespacesAndNewlines))
        // As 'openssl x509 -serial' prints it.
        if rest.hasPrefix("serial=") { rest = rest.dropFirst("serial=".count) }
        if rest.prefix(2).lowercased() == "0x" { rest = rest.dropFirst(2) }
        let groups = rest.split(separator: ":", omittingEmptySubsequences: false)
        let digits = groups.joined()
        guard groups.allSatisfy({ !$0.isEmpty }), let bytes = SerialNumber.magnitude(hexadecimal: digits),
            (1...20).contains(bytes.count)
        else { return nil }
        self.bytes = bytes
    }
}

/// A time, or a duration from now.
struct ExpiryArgument: ExpressibleByArgument {
    private enum Form {
        case at(Timestamp)
        /// In milliseconds.
        case after(Int64)
    }
    private let form: Form

    init?(argument: String) {
        if let time = Timestamp(rfc3339: argument) {
            form = .at(time)
            return
        }
        // A thousand years: no sum with a time can overflow.
        guard let duration = DurationText.milliseconds(argument), (1...366_000 * 86_400_000).contains(duration) else {
            return nil
        }
        form = .after(duration)
    }

    /// Whether a permission that was made at `start` and ends at `end` is as this asks for. A time is compared exactly; a duration to a minute,
    /// since the clocks of command and daemon differ.
    func matches(_ end: Timestamp, from start: Timestamp) -> Bool {
        switch form {
        case .at(let time): return end == time
        case .after(let milliseconds):
            let wanted = start.adding(milliseconds: milliseconds)
            return wanted.adding(milliseconds: -60_000) <= end && end <= wanted.adding(milliseconds: 60_000)
        }
    }

    func time(from now: Timestamp) -> Timestamp {
        switch form {
        case .at(let time): time
        case .after(let milliseconds): now.adding(milliseconds: milliseconds)
        }
    }
}

extension FileArgument {
    /// A PKCS #10 certificate signing request, as DER.
    func readCSR() throws -> [UInt8] {
        try readDER("a certificate signing request", labels: ["CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"])
    }

    /// A SubjectPublicKeyInfo, as DER.
    func readPublicKey() throws -> [UInt8] { try readDER("a public key", labels: ["PUBLIC KEY"]) }

    /// The content of a file in DER, or in PEM with one block under one of the labels.
    private func readDER(_ what: String, labels: [String]) throws -> [UInt8] {
        let bytes = try read()
        let text = String(decoding: bytes, as: UTF8.self)
        let found = PEM.labels(in: text)
        guard !found.isEmpty else {
            // Both are a sequence, and nothing behind it.
            guard
                (try? DERReader.parse(bytes[...], code: .malformed) { reader throws(Rejection) in try reader.element(.sequence)
                }) != nil
            else {
                throw Console.unreadable(
                    "\(path) is not \(what): it is neither PEM (\"-----BEGIN \(labels[0])-----\") nor whole DER")
            }
            return bytes
        }
        guard let label = labels.first(where: found.contains) else {
            throw Console.unreadable(
                "\(path) is not \(what): it has the PEM label \"\(found[0].prefix(60))\", where \"\(labels[0])\" is wanted")
        }
        let blocks: [[UInt8]]
        do throws(Rejection) {
            blocks = try PEM.decode(text, label: label)
        } catch {
            throw Console.unreadable("\(path): \(error.detail)")
        }
        guard blocks.count == 1, let block = blocks.first else {
            throw Console.unreadable("\(path): \(blocks.count) blocks of PEM; want one")
        }
        return block
    }

    /// 32 bytes, raw or as text in a form of `ByteText`.
    func readSecret() throws -> [UInt8] {
        let bytes = try read(atMost: 1024)
        if bytes.count == 32 { return bytes }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let secret = ByteText.decode(text, count: 32), secret.count == 32 else {
            throw Console.unreadable("\(path): a device secret has 32 bytes, raw or as \(ByteText.forms)")
        }
        return secret
    }
}
