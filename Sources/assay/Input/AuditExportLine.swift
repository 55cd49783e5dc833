import AssayCore
import Foundation

/// A line of an export of the audit log: JSON Lines, described in `docs/operate/audit.md`.
enum AuditExportLine {
    /// The first line: the chain before the export, and whose chain it is.
    case start(AuditChain, of: AuditWriter)
    /// A record, and whether the line's members match the record.
    case row(AuditRow, isFaithful: Bool)
    /// The chain so far, signed by the ledger's key.
    case signedHead(SignedAuditHead)

    static let format = "assay.audit.v1"

    /// Whether these bytes may be the beginning of an export whose first line is incomplete.
    static func mayBegin(with bytes: Data) -> Bool {
        let first = Data("{\"audit\":\"\(format)\",".utf8)
        return bytes.starts(with: first.prefix(bytes.count))
    }

    /// `nil` for anything else.
    init?(_ line: some StringProtocol) {
        guard let value = try? JSONSerialization.jsonObject(with: Data(line.utf8)), let object = value as? [String: Any]
        else { return nil }
        if object["audit"] as? String == Self.format {
            guard let number = (object["start_number"] as? NSNumber)?.int64Value,
                let head = (object["start_head"] as? String).flatMap({ Hex.decode($0) }), head.count == 32,
                let writer = Self.writer(in: object)
            else { return nil }
            self = .start(AuditChain(number: number, head: head), of: writer)
        } else if let text = object["signed_head"] as? String {
            guard let head = ExpectedAuditHead(text)?.signed else { return nil }
            self = .signedHead(head)
        } else {
            guard let row = AuditRow(json: object) else { return nil }
            self = .row(row, isFaithful: Console.text(json: object) == Console.text(json: row.json))
        }
    }

    /// `.only` where the line names none; `nil` where it names one that cannot be.
    private static func writer(in object: [String: Any]) -> AuditWriter? {
        guard let member = object["writer"] else { return .only }
        return (member as? String).flatMap { AuditWriter(named: $0) }
    }

    var json: [String: Any] {
        switch self {
        case .start(let chain, let writer):
            var object: [String: Any] = [
                "audit": Self.format, "start_number": chain.number, "start_head": Hex.encode(chain.head),
            ]
            if writer.isNamed { object["writer"] = writer.name }
            return object
        case .row(let row, _): return row.json
        case .signedHead(let head): return ["signed_head": head.description]
        }
    }

    /// The chain after this line, as stated in the line.
    var chain: AuditChain {
        switch self {
        case .start(let chain, _): chain
        case .row(let row, _): AuditChain(number: row.number, head: row.head)
        case .signedHead(let head): head.chain
        }
    }
}

/// Reads the lines of a file one by one, however long the file is.
struct LineReader {
    /// In bytes. A line of an export has about one kilobyte.
    static let lineLimit = 1 << 20
    private static let chunk = 64 << 10

    private let file: FileHandle
    private var rest = Data()
    private var isAtEnd = false

    init(_ file: FileHandle) { self.file = file }

    /// The next line without its line feed; `nil` after the last one. Bytes after the last line feed are not a line: they were
    /// cut.
    mutating func next() throws -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest = rest[(end + 1)...] }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            guard !isAtEnd else {
                if rest.isEmpty { return nil }
                throw Failure(description: "the last line is not whole")
            }
            guard rest.count <= Self.lineLimit else { throw Failure(description: "a line is longer than any of an export") }
            let more = try file.read(upToCount: Self.chunk) ?? Data()
            isAtEnd = more.isEmpty
            rest = Data(rest) + more
        }
    }

    struct Failure: Error, CustomStringConvertible { let description: String }
}
