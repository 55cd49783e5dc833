import AssayCore

/// An authorization list as claims, and read back from them. `docs/reference/verifiers/key-attestation.md` lists the names.
extension AuthorizationList {
    func add(to claims: inout Claims, _ names: AuthorizationNames) {
        for statement in statements {
            let (tag, name) = (statement.tag, names[statement.tag])
            switch statement.value {
            case .number(let number): claims.add(name, Self.claim(number, tag))
            case .wide(let bytes), .bytes(let bytes): claims.add(name, .bytes(bytes))
            case .numbers(let numbers): claims.add(name, .texts(numbers.map(String.init)))
            case .present: claims.add(name, .boolean(true))
            case .text(let text): claims.add(name, .text(text))
            case .rootOfTrust(let root):
                claims.add(names.bootKey, .bytes(root.bootKey))
                claims.add(names.locked, .boolean(root.isLocked))
                claims.add(names.state, .text(root.state.name))
                claims.add(names.bootHash, root.bootHash.map { .bytes($0) })
            case .application(let application):
                claims.add(names.packages, .texts(application.packages.map(\.name)))
                claims.add(names.versions, .texts(application.packages.map { String($0.version) }))
                claims.add(names.signers, .texts(application.signers.map { Hex.encode($0) }))
            }
        }
        guard !unknown.isEmpty else { return }
        claims.add(names.unknownTags, .texts(unknown.map { String($0.number) }))
        claims.add(names.unknownValues, .texts(unknown.map { Hex.encode($0.content) }))
    }

    private static func claim(_ number: UInt64, _ tag: AuthorizationTag) -> Claims.Value {
        switch tag.shape {
        case .time: .time(Timestamp(unixMilliseconds: Int64(clamping: number)))
        case .origin: .text(KeyOrigin(rawValue: number)?.name ?? String(number))
        default: Int64(exactly: number).map { .integer($0) } ?? .text(String(number))
        }
    }

    /// `nil` if a claim has another type than `add` gives it. Reads the claims in one pass: this runs whenever a registered device is used
    /// that was not in memory.
    init?(_ claims: Claims, _ names: AuthorizationNames) {
        self.init()
        for claim in claims.all where claim.name.hasPrefix(names.prefix) {
            guard let tag = names.tag(claim.name), !has(tag) else { continue }
            let value: Value? =
                switch tag.shape {
                case .rootOfTrust: RootOfTrust(claims, names).map { .rootOfTrust($0) }
                case .application: AttestationApplicationID(claims, names).map { .application($0) }
                default: Self.value(claim.value, tag.shape)
                }
            guard let value else { return nil }
            add(value, tag)
        }
        // Statements that were unknown at registration affect nothing later.
    }

    private static func value(_ claim: Claims.Value, _ shape: AuthorizationTag.Shape) -> Value? {
        switch (claim, shape) {
        case (.integer(let number), .number): UInt64(exactly: number).map { .number($0) }
        case (.time(let time), .time): UInt64(exactly: time.unixMilliseconds).map { .number($0) }
        case (.text(let text), .origin): (KeyOrigin(name: text)?.rawValue ?? UInt64(text)).map { .number($0) }
        case (.text(let text), .number): UInt64(text).map { .number($0) }
        case (.texts(let texts), .numbers):
            texts.allSatisfy { UInt64($0) != nil } ? .numbers(texts.compactMap { UInt64($0) }) : nil
        case (.boolean, .flag): .present
        case (.bytes(let bytes), .bytes), (.bytes(let bytes), .text): .bytes(bytes)
        case (.bytes(let bytes), .number), (.bytes(let bytes), .time), (.bytes(let bytes), .origin): .wide(bytes)
        case (.text(let text), .text): .text(text)
        default: nil
        }
    }
}

/// The names of the claims of an authorization list. Made once for all lists: a registration has some thirty.
struct AuthorizationNames: Sendable {
    static let software = AuthorizationNames(prefix: "software_enforced.")
    static let hardware = AuthorizationNames(prefix: "hardware_enforced.")
    /// Without a prefix, for people who are shown one list.
    static let plain = AuthorizationNames(prefix: "")

    /// Precedes each name.
    let prefix: String
    let bootKey, locked, state, bootHash: String
    let packages, versions, signers: String
    let unknownTags, unknownValues: String
    private let names: [AuthorizationTag: String]
    /// By the name of a claim that every list with the tag has.
    private let tags: [String: AuthorizationTag]  // not text from outside

    private init(prefix: String) {
        let names = Dictionary(uniqueKeysWithValues: AuthorizationTag.allCases.map { ($0, prefix + $0.name) })
        let root = prefix + AuthorizationTag.rootOfTrust.name
        let application = prefix + AuthorizationTag.attestationApplicationID.name
        self.prefix = prefix
        self.names = names
        (bootKey, locked) = (root + ".verified_boot_key", root + ".device_locked")
        (state, bootHash) = (root + ".verified_boot_state", root + ".verified_boot_hash")
        (packages, versions) = (application + ".packages.name", application + ".packages.version")
        signers = application + ".signature_digests"
        (unknownTags, unknownValues) = (prefix + "unknown_tags", prefix + "unknown_tag_values")
        var tags = Dictionary(uniqueKeysWithValues: names.map { ($1, $0) })
        tags[root] = nil
        tags[application] = nil
        tags[state] = .rootOfTrust
        tags[packages] = .attestationApplicationID
        self.tags = tags
    }

    subscript(tag: AuthorizationTag) -> String { names[tag] ?? prefix + tag.name }

    func tag(_ name: String) -> AuthorizationTag? { tags[name] }
}

extension RootOfTrust {
    fileprivate init?(_ claims: Claims, _ names: AuthorizationNames) {
        guard case .bytes(let key)? = claims[names.bootKey], case .boolean(let isLocked)? = claims[names.locked],
            let state = claims.text(names.state).flatMap(BootState.init(name:))
        else { return nil }
        let hash: [UInt8]?
        switch claims[names.bootHash] {
        case .bytes(let bytes): hash = bytes
        case nil: hash = nil
        default: return nil
        }
        self.init(bootKey: key, isLocked: isLocked, state: state, bootHash: hash)
    }
}

extension AttestationApplicationID {
    fileprivate init?(_ claims: Claims, _ names: AuthorizationNames) {
        guard case .texts(let packages)? = claims[names.packages], case .texts(let versions)? = claims[names.versions],
            case .texts(let signers)? = claims[names.signers], packages.count == versions.count
        else { return nil }
        let numbers = versions.compactMap { Int64($0) }
        let digests = signers.compactMap { Hex.decode($0) }
        guard numbers.count == packages.count, digests.count == signers.count else { return nil }
        self.init(packages: zip(packages, numbers).map { Package(name: $0, version: $1) }, signers: digests)
    }
}
