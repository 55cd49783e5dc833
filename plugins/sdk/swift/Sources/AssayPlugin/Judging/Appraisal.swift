/// What a plugin says of one piece of evidence: findings in the order of the checks, and what follows if none of them failed.
///
/// Nothing is accepted by omission. Without a finding the evidence is rejected; after a failed check claims, tokens and effects
/// are dropped; an appraisal that breaks the format's declaration ends the call with INTERNAL, which tells its author so at the
/// first try.
public struct Appraisal: Sendable {
    static let findingLimit = 64
    static let claimLimit = 64
    static let tokenLimit = 4

    public let format: Format
    /// The checks that were made.
    public private(set) var findings: [Finding] = []
    /// Whether no check failed or could not be made.
    public private(set) var isGood = true
    /// How strong the evidence is.
    public var assurance = Assurance.none

    private(set) var claims: [(name: String, value: ClaimValue)] = []
    private(set) var clientDataSHA256: [UInt8]?
    private(set) var effect: Effect?
    private(set) var tokens: [Token] = []
    private(set) var statement: Statement?
    private(set) var payloadSHA256: [UInt8]?
    private(set) var measurements: [Measurement] = []
    /// What the author did wrong, first.
    private(set) var fault: Fault?

    enum Effect {
        case register(subjectKey: [UInt8], publicKey: [UInt8])
        case advance(UInt32)
    }

    struct Token {
        let bytes: [UInt8]
        let untilMilliseconds: Int64
        let code: ReasonCode
    }

    struct Statement {
        let digest: [UInt8]
        let untilMilliseconds: Int64
    }

    /// `require` has recorded a failed check: the appraisal is over.
    struct Ended: Error {}

    init(of format: Format) { self.format = format }
}

// MARK: Checks

extension Appraisal {
    /// Makes a check, and ends the appraisal if it failed. The sentence says what was expected and found; it is told to the
    /// caller, and made only if the check failed.
    public mutating func require(
        _ check: String, _ passed: Bool, else code: ReasonCode, _ sentence: @autoclosure () -> String
    ) throws {
        guard self.check(check, passed, else: code, sentence()) else { throw Ended() }
    }

    /// Makes a check, and goes on if it failed, so that all faults of the evidence are listed. The first that failed is the
    /// reason of the rejection.
    @discardableResult
    public mutating func check(
        _ check: String, _ passed: Bool, else code: ReasonCode, _ sentence: @autoclosure () -> String
    ) -> Bool {
        if passed {
            add(check, .pass, nil, "")
        } else {
            add(check, .fail, code, sentence())
        }
        return passed
    }

    /// The check could not be made. The caller is answered UNAVAILABLE unless another check failed.
    public mutating func unavailable(_ check: String, _ code: ReasonCode, _ sentence: String) {
        add(check, .unavailable, code, sentence)
    }

    /// The check was left out.
    public mutating func skip(_ check: String, _ sentence: String) {
        add(check, .skipped, nil, sentence)
    }

    /// Something that decides nothing and is worth to be known. `word` is like a code.
    public mutating func note(_ check: String, _ word: ReasonCode, _ sentence: String) {
        add(check, .note, word, sentence)
    }

    mutating func refuse(_ refusal: Refusal) {
        add("form", .fail, refusal.code, refusal.sentence)
    }

    private mutating func add(_ check: String, _ outcome: Finding.Outcome, _ code: ReasonCode?, _ sentence: String) {
        guard findings.count < Self.findingLimit else {
            return blame("too_many_findings", "the plugin added more than \(Self.findingLimit) findings")
        }
        guard Text.isName(check), code.map({ Text.isName($0.rawValue) }) ?? true else {
            return blame("invalid_name", "expected names of 1 to 64 of a-z, 0-9 and _ for a check and its code")
        }
        findings.append(Finding(check: check, outcome: outcome, code: code, detail: Text.sentence(sentence)))
        isGood = isGood && outcome != .fail && outcome != .unavailable
    }

    private mutating func blame(_ reason: String, _ sentence: String) {
        fault = fault ?? .internal(reason, sentence)
    }
}

// MARK: What follows from accepted evidence

extension Appraisal {
    /// What the evidence says, with a name and kind that the format declares. Only for evidence that was found authentic.
    public mutating func claim(_ name: String, _ value: ClaimValue) {
        guard let declared = format.claims.first(where: { $0.name == name }), declared.kind == value.kind else {
            return blame(
                "undeclared_claim",
                "the plugin added the claim \(name) of kind \(value.kind), which its format does not declare")
        }
        guard !claims.contains(where: { $0.name == name }), claims.count < Self.claimLimit, value.isWithinLimits else {
            return blame(
                "invalid_claim", "the plugin added the claim \(name) twice, or more than 64 claims, texts or 4096 bytes")
        }
        claims.append((name, value))
    }

    /// Freshness by challenge: SHA-256 of the client data whose signature was verified. The daemon compares it.
    public mutating func verifiedClientData(sha256: [UInt8]) {
        guard sha256.count == 32 else {
            return blame("invalid_digest", "expected a SHA-256 of 32 bytes, found \(sha256.count)")
        }
        clientDataSHA256 = sha256
    }

    /// Freshness by single use: uses up a token of 1 to 64 bytes, which is remembered until `until`, in milliseconds since 1970
    /// and at most 400 days ahead; after that the evidence must be refused by its own time. `code` is the reason if it was used
    /// before. At most 4 tokens.
    public mutating func use(token: [UInt8], until: Int64, code: ReasonCode = "challenge_reused") {
        guard (1...64).contains(token.count), tokens.count < Self.tokenLimit else {
            return blame(
                "invalid_token", "expected at most \(Self.tokenLimit) tokens of 1 to 64 bytes, found one of \(token.count)")
        }
        tokens.append(Token(bytes: token, untilMilliseconds: until, code: code))
    }

    /// Freshness by statement: the 32 bytes that make the statement unique, and until when it can be accepted, in milliseconds
    /// since 1970 and at most 400 days ahead.
    public mutating func statement(digest: [UInt8], until: Int64) {
        guard digest.count == 32 else {
            return blame("invalid_digest", "expected a digest of 32 bytes, found \(digest.count)")
        }
        statement = Statement(digest: digest, untilMilliseconds: until)
    }

    /// Freshness by payload: SHA-256 of the payload that the body was shown to belong to. The daemon compares it with `payloadSHA256`.
    public mutating func verifiedPayload(sha256: [UInt8]) {
        guard sha256.count == 32 else {
            return blame("invalid_digest", "expected a SHA-256 of 32 bytes, found \(sha256.count)")
        }
        payloadSHA256 = sha256
    }

    /// Freshness by payload: what was measured for a signal of the format's `measures`, once for each. It bears on the confidence in the
    /// place of the app's own word, and decides nothing. The sentence has the numbers.
    public mutating func measured(_ signal: String, _ outcome: Measurement.Outcome, _ sentence: String) {
        guard format.measures.contains(signal), !measurements.contains(where: { $0.signal == signal }) else {
            return blame(
                "undeclared_measurement", "the plugin measured \(signal), which its format does not declare, or twice")
        }
        measurements.append(Measurement(signal: signal, outcome: outcome, detail: Text.sentence(sentence)))
    }

    /// Registers a device, for evidence of purpose `register`. `subjectKey` (1 to 1024 bytes) identifies it in later evidence;
    /// `publicKey` (at most 4096 bytes, not a secret) is what later evidence is judged by.
    public mutating func register(subjectKey: [UInt8], publicKey: [UInt8]) {
        guard (1...1024).contains(subjectKey.count), publicKey.count <= 4096 else {
            return blame("invalid_registration", "expected a subject key of 1 to 1024 bytes and a public key of at most 4096")
        }
        effect = .register(subjectKey: subjectKey, publicKey: publicKey)
    }

    /// Advances the counter of the device that `locate` named. Each value is accepted once, and is above the one before.
    public mutating func advance(counter: UInt32) {
        effect = .advance(counter)
    }

    /// What the format's freshness demands of evidence without a fault.
    var freshnessFault: Fault? {
        switch format.freshness {
        case .challenge where clientDataSHA256 == nil:
            .internal("client_data_not_verified", "freshness by challenge needs verifiedClientData(sha256:)")
        case .singleUse where tokens.isEmpty:
            .internal("no_token", "freshness by single use needs use(token:until:code:)")
        case .statement where statement == nil:
            .internal("no_statement", "freshness by statement needs statement(digest:until:)")
        case .payload where payloadSHA256 == nil:
            .internal("payload_not_verified", "freshness by payload needs verifiedPayload(sha256:)")
        case .challenge, .singleUse, .statement, .payload: nil
        }
    }
}
