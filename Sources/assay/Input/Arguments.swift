public import ArgumentParser
public import AssayCore
import AssayHost
import Foundation

extension AppID: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension DeviceID: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension Timestamp: ExpressibleByArgument {
    public init?(argument: String) { self.init(rfc3339: argument) }
}

extension Purpose: ExpressibleByArgument {
    public init?(argument: String) {
        guard let purpose = Purpose.allCases.first(where: { $0.name == argument }) else { return nil }
        self = purpose
    }
    public static var allValueStrings: [String] { allCases.map(\.name) }
}

/// Bytes as people write them: base64url, standard Base64, or `hex:` and hexadecimal digits.
struct BytesArgument: ExpressibleByArgument {
    let bytes: [UInt8]

    init?(argument: String) {
        let hex = argument.hasPrefix("hex:") ? Hex.decode(argument.dropFirst(4)) : nil
        guard let bytes = hex ?? Base64.url.decode(argument) ?? Base64.standard.decode(argument) else { return nil }
        self.bytes = bytes
    }
}

/// A file of bytes, or `-` for standard input. A file that holds nothing but Base64 text is decoded: evidence is CBOR,
/// which never looks like that. Of a token, which is text in parts, the white space around it is left out.
struct FileArgument: ExpressibleByArgument {
    let path: String
    init?(argument: String) { path = argument }

    /// Evidence and lists are not larger, in bytes: no daemon takes longer frames than this (`limits.max_frame_bytes`).
    private static let sizeLimit = 64 << 20

    /// - Parameter limit: what is larger is no input. A payload, of which only the digest is needed, may be as long as it likes.
    func read(atMost limit: Int = Self.sizeLimit) throws -> [UInt8] {
        do throws(BoundedFileProblem) {
            return path == "-"
                ? try BoundedFile.read(FileHandle.standardInput.fileDescriptor, atMost: limit)
                : try BoundedFile.read(path, atMost: limit)
        } catch {
            throw Console.unreadable("\(path == "-" ? "standard input" : path) \(error)")
        }
    }

    func readEvidence() throws -> [UInt8] {
        let bytes = try read()
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        // A token, or the beginning of one: in Base64 no CBOR and no DER begins so.
        if text.hasPrefix("eyJ") { return Array(text.utf8) }
        return Base64.standard.decode(text) ?? Base64.url.decode(text) ?? bytes
    }

    /// A token's text, which may be any.
    func readToken() throws -> [UInt8] {
        Array(String(decoding: try read(), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines).utf8)
    }
}
