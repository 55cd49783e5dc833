/// One signal about a capture: what a method on the device measured or decided.
public struct Signal: Hashable, Sendable {
    public enum Outcome: String, CaseIterable, Hashable, Sendable {
        case pass, fail
        /// The device could not measure it. Never a failure.
        case unavailable
    }

    public enum Value: Hashable, Sendable {
        /// 0: speaks against the capture with certainty; 1: for it.
        case score(Score)
        case outcome(Outcome)
    }

    /// 1 to 32 bytes of `a`-`z`, `0`-`9` and `_`.
    public let name: String
    public let value: Value

    public init(name: String, value: Value) { (self.name, self.value) = (name, value) }
}

/// The signals of one capture and the digests of its media, as the app wrote them (`docs/reference/capture-documents.md`, "The signals' document").
///
/// The bytes are the canonical form: the device signs their SHA-256 as its payload, and nothing is encoded again. Unknown members are
/// ignored, so that an app can have its own statements in the document. Those that version 2 added are unknown to version 1.
public struct SignalDocument: Hashable, Sendable {
    /// What the upload carries.
    public enum Mode: String, CaseIterable, Hashable, Sendable {
        /// The files of the capture too.
        case full
        /// Their digests alone.
        case hashOnly = "hash_only"
    }

    /// The longest document, in bytes.
    public static let sizeLimit = 65_536
    public static let mediaLimit = 16
    public static let signalLimit = 32
    package static let nameLimit = 32
    static let versions: ClosedRange<Int64> = 1...2
    /// The longest upload of the mode `hash_only`, in bytes: document and evidence together.
    public static let hashOnlyLimit = 10_240

    /// 1 or 2.
    public let version: Int64
    /// SHA-256 of each file of the capture, 32 bytes each, in the order of the document: 1 to 16, all different.
    public let media: [[UInt8]]
    /// In the order of the document, at most 32.
    public let signals: [Signal]
    /// What version 2 states beside the signals; empty in version 1.
    public let statements: CaptureStatements

    /// A document of version 1.
    public init(media: [[UInt8]], signals: [Signal]) {
        (version, self.media, self.signals, statements) = (1, media, signals, CaptureStatements())
    }

    /// Reads strict JSON. Throws `malformed` for everything else, a duplicate name included; the sentence repeats nothing of the document.
    public init(parsing document: [UInt8]) throws(Rejection) {
        guard document.count <= Self.sizeLimit else {
            throw Self.malformed("\(document.count) bytes, limit \(Self.sizeLimit)")
        }
        let fields = try JSONFields(parsing: document[...], code: .malformed)
        guard let version = try fields.integer("version"), Self.versions.contains(version) else {
            throw Self.malformed("version is not 1 or 2")
        }
        self.version = version
        media = try Self.media(fields.object["media".utf8])
        let signals = fields.object["signals".utf8]
        guard version > 1 else {
            self.signals = try Self.signals(signals)
            statements = CaptureStatements()
            return
        }
        self.signals = signals == nil ? [] : try Self.signals(signals)
        statements = try CaptureStatements(fields)
    }

    private static func media(_ value: JSONValue?) throws(Rejection) -> [[UInt8]] {
        guard case .array(let elements)? = value, (1...mediaLimit).contains(elements.count) else {
            throw malformed("media is not a list of 1 to \(mediaLimit) elements")
        }
        var media: [[UInt8]] = []
        for (index, element) in elements.enumerated() {
            guard case .object(let object) = element, case .string(let text)? = object["sha256".utf8], text.count == 64,
                let digest = Hex.decode(String(decoding: text, as: UTF8.self))
            else { throw malformed("media[\(index)].sha256 is not 64 hexadecimal digits") }
            guard !media.contains(digest) else { throw malformed("media[\(index)] repeats a digest") }
            media.append(digest)
        }
        return media
    }

    private static func signals(_ value: JSONValue?) throws(Rejection) -> [Signal] {
        guard case .object(let object)? = value, object.members.count <= signalLimit else {
            throw malformed("signals is not an object of at most \(signalLimit) members")
        }
        var signals: [Signal] = []
        for (index, member) in object.members.enumerated() {
            guard let signal = Signal(member) else {
                throw malformed(
                    "member \(index) of signals is not a name of a-z, 0-9 and _ with either a score from 0 to 1 or an outcome")
            }
            signals.append(signal)
        }
        return signals
    }

    /// Throws `malformed` for a document of the mode `hash_only` in a longer upload than that mode allows.
    ///
    /// - Parameter size: of document and evidence together, in bytes.
    package func checkSize(ofUpload size: Int) throws(Rejection) {
        guard statements.mode == .full || size <= Self.hashOnlyLimit else {
            throw Self.malformed("mode is hash_only, and document and evidence have \(size) bytes, limit \(Self.hashOnlyLimit)")
        }
    }

    static func malformed(_ problem: String) -> Rejection { Rejection(ReasonCode.malformed, "signals: \(problem)") }
}

extension Signal {
    /// `nil` unless the name is of the form of a signal's, and its value is an object with either `score` or `outcome`.
    init?(_ member: JSONObject.Member) {
        guard Self.isName(member.name), case .object(let object) = member.value
        else { return nil }
        switch (object["score".utf8], object["outcome".utf8]) {
        case (.number(let digits)?, nil):
            guard let score = Score(decimal: digits) else { return nil }
            value = .score(score)
        case (nil, .string(let word)?):
            guard let outcome = Outcome(bytesOf: String(decoding: word, as: UTF8.self)) else { return nil }
            value = .outcome(outcome)
        default: return nil
        }
        name = String(decoding: member.name, as: UTF8.self)
    }

    /// Whether the text is of the form of a signal's name: 1 to 32 of `a`-`z`, `0`-`9` and `_`.
    package static func isName(_ text: some Collection<UInt8>) -> Bool {
        (1...SignalDocument.nameLimit).contains(text.count) && text.allSatisfy(\.isOfWord)
    }
}
