/// A format of evidence that the plugin appraises.
public struct Format: Sendable {
    /// `[a-z0-9.-]{1,64}`, such as `example.kiosk`.
    public var name: String
    public var purposes: Set<Purpose>
    /// Larger bodies are refused without a call. 1 to 524288 bytes.
    public var sizeLimit: Int
    public var freshness: Freshness
    /// The claims that appraisals may have, at most 64.
    public var claims: [ClaimDeclaration]
    /// The plugin's own reason codes, at most 64. Codes of docs/reference/reason-codes.md need no declaration.
    public var codes: [CodeDeclaration]
    /// Freshness by payload: the signals of the confidence that appraisals may measure, each `[a-z0-9_]{1,32}`, such as `lidar`. At most 16.
    public var measures: [String]
    /// Whether `locate` is called before `appraise`.
    public var locates: Bool
    /// Whether `prepare` can be called.
    public var prepares: Bool

    public init(
        _ name: String, purposes: Set<Purpose>, sizeLimit: Int, freshness: Freshness, claims: [ClaimDeclaration] = [],
        codes: [CodeDeclaration] = [], measures: [String] = [], locates: Bool = false, prepares: Bool = false
    ) {
        self.name = name
        self.purposes = purposes
        self.sizeLimit = sizeLimit
        self.freshness = freshness
        self.claims = claims
        self.codes = codes
        self.measures = measures
        self.locates = locates
        self.prepares = prepares
    }
}

/// What evidence is for.
public enum Purpose: Int, Sendable {
    case register = 1
    case assert, provision, renew
}

/// What keeps evidence from being accepted twice.
public enum Freshness: Int, Sendable {
    /// The device signs or embeds `evidence.clientData`: call `verifiedClientData(sha256:)`.
    case challenge = 1
    /// The evidence has a nonce of its own: call `use(token:until:code:)`.
    case singleUse
    /// The same evidence may come again: call `statement(digest:until:)`.
    case statement
    /// The evidence is a part of the payload that another piece of the request binds: call `verifiedPayload(sha256:)`.
    case payload
}

/// A claim that appraisals of a format may have.
public struct ClaimDeclaration: Sendable {
    public enum Kind: Int, Sendable {
        case text = 1
        case integer, boolean, bytes, texts, time
    }

    /// `[a-z0-9_]{1,64}`
    public var name: String
    public var kind: Kind
    /// A phrase for people.
    public var meaning: String

    public init(_ name: String, _ kind: Kind, _ meaning: String) {
        self.name = name
        self.kind = kind
        self.meaning = meaning
    }
}

/// A reason code of the plugin's own.
public struct CodeDeclaration: Sendable {
    /// What a caller may do after a rejection.
    public enum Retry: Int, Sendable {
        case never = 1
        case newChallenge, reAttest, later, contactOperator
    }

    public var code: ReasonCode
    public var retry: Retry
    /// A phrase for people.
    public var meaning: String
    /// The code of another system that callers must speak, shown with the finding: at most 64 printable ASCII characters. Empty: none.
    public var vendorCode: String

    public init(_ code: ReasonCode, retry: Retry, _ meaning: String, vendorCode: String = "") {
        self.code = code
        self.retry = retry
        self.meaning = meaning
        self.vendorCode = vendorCode
    }
}

/// Why evidence is refused: `[a-z0-9_]{1,64}`. The plugin's own are declared in `Format.codes`.
public struct ReasonCode: RawRepresentable, ExpressibleByStringLiteral, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { rawValue = value }

    /// The body cannot be read.
    public static let malformed: ReasonCode = "malformed"
    public static let badSignature: ReasonCode = "bad_signature"
}
