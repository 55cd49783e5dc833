public import ArgumentParser
import AssayConfiguration
public import AssayCore
import AssayFiles
import AssaySchemes
import Foundation

extension AuditWriter: ExpressibleByArgument {
    public init?(argument: String) { self.init(named: argument) }
}

extension AppID: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension EvidenceFormat: ExpressibleByArgument {
    public init?(argument: String) { self.init(named: argument.utf8) }
}

extension DeviceID: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension SourceAddress: ExpressibleByArgument {
    public init?(argument: String) { self.init(text: argument.utf8) }
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

/// Bytes in any form of `ByteText`.
struct BytesArgument: ExpressibleByArgument {
    private let text: String
    /// The bytes, read without an expected number.
    let bytes: [UInt8]

    init?(argument: String) {
        guard let bytes = ByteText.decode(argument) else { return nil }
        (text, self.bytes) = (argument, bytes)
    }

    /// The bytes if their number is `count`: the number can decide between two readings. Bytes of another number are returned
    /// unchanged, for their consumer to refuse.
    func bytes(wanting count: Int) -> [UInt8] { ByteText.decode(text, count: count) ?? bytes }
}

/// A file of bytes, or `-` for standard input. A file that contains only text in a form of `ByteText` is decoded: evidence is
/// CBOR or DER, which never looks like that. The white space around a token is removed.
struct FileArgument: ExpressibleByArgument {
    let path: String
    init?(argument: String) { path = argument }

    /// The longest evidence or list, in bytes: no daemon accepts longer frames (`limits.max_frame_bytes`).
    static let sizeLimit = 64 << 20

    /// - Parameter limit: longer input throws. A payload, of which only the digest is needed, may have any length.
    func read(atMost limit: Int = Self.sizeLimit) throws -> [UInt8] {
        do throws(BoundedFileError) {
            return path == "-"
                ? try BoundedFile.read(FileHandle.standardInput.fileDescriptor, atMost: limit)
                : try BoundedFile.read(path, atMost: limit)
        } catch {
            throw Console.unreadable("\(path == "-" ? "standard input" : path) \(error)")
        }
    }

    func readEvidence() throws -> [UInt8] {
        EvidenceFile.bytes(of: try read())
    }

    /// Evidence whose encoding is not known, for an inspection.
    func readEvidenceText() throws -> EvidenceText { EvidenceText(try read()) }

    /// The text of a token, of any form.
    func readToken() throws -> [UInt8] {
        Array(String(decoding: try read(), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines).utf8)
    }
}

/// Evidence that a plugin judges, as `FORMAT=FILE`: the file is sent byte for byte.
struct PluginEvidenceArgument: ExpressibleByArgument {
    let format: EvidenceFormat
    let file: FileArgument

    /// `nil` without a format of 1 to 64 characters of `a`-`z`, `0`-`9`, `_`, `.` and `-`, or without a file.
    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="),
            let file = FileArgument(argument: String(argument[equals...].dropFirst())),
            !file.path.isEmpty, let format = EvidenceFormat(named: argument[..<equals].utf8)
        else { return nil }
        (self.format, self.file) = (format, file)
    }
}

/// A signature algorithm by its name in claims.
extension KeySignatureAlgorithm: ExpressibleByArgument {
    public init?(argument: String) {
        guard let algorithm = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = algorithm
    }
    public static var allValueStrings: [String] { allCases.map(\.name) }
    /// The names alone; without this the parser shows the numbers as names.
    public static var allValueDescriptions: [String: String] { [:] }
}

/// The names of the configuration.
extension ResultShape: ExpressibleByArgument {
    public init?(argument: String) { self.init(rawValue: argument) }
    public static var allValueStrings: [String] { allCases.map(\.rawValue) }
    public static var allValueDescriptions: [String: String] { [:] }
}

extension UploadID: ExpressibleByArgument {
    public init?(argument: String) {
        guard let bytes = ByteText.decode(argument, count: Self.length) else { return nil }
        self.init(bytes: bytes)
    }
}
