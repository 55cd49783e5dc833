import AssayCore

/// An authorization list as claims, and read back from them. `docs/reference/verifiers/key-attestation.md` lists the names.
extension AuthorizationList {
    fileprivate enum Part {
        static let bootKey = ".verified_boot_key"
        static let locked = ".device_locked"
        static let state = ".verified_boot_state"
        static let bootHash = ".verified_boot_hash"
        static let packages = ".packages.name"
        static let versions = ".packages.version"
        static let signers = ".signature_digests"
        static let unknownTags = "unknown_tags"
        static let unknownValues = "unknown_tag_values"
    }

    /// - Parameter prefix: precedes each name.
    func add(to claims: inout Claims, prefix: String) {
        for tag in AuthorizationTag.allCases {
            guard let value = values[tag] else { continue }
            let name = prefix + tag.name
            switch value {
            case .number(let number): claims.add(name, Self.claim(number, tag))
            case .wide(let bytes), .bytes(let bytes): claims.add(name, .bytes(bytes))
            case .numbers(let numbers): claims.add(name, .texts(numbers.map(String.init)))
            case .present: claims.add(name, .boolean(true))
            case .text(let text): claims.add(name, .text(text))
            case .rootOfTrust(let root):
                claims.add(name + Part.bootKey, .bytes(root.bootKey))
                claims.add(name + Part.locked, .boolean(root.isLocked))
                claims.add(name + Part.state, .text(root.state.name))
                claims.add(name + Part.bootHash, root.bootHash.map { .bytes($0) })
            case .application(let application):
                claims.add(name + Part.packages, .texts(application.packages.map(\.name)))
                claims.add(name + Part.versions, .texts(application.packages.map { String($0.version) }))
                claims.add(name + Part.signers, .texts(application.signers.map { Hex.encode($0) }))
            }
        }
        guard !unknown.isEmpty else { return }
        claims.add(prefix + Part.unknownTags, .texts(unknown.map { String($0.number) }))
        claims.add(prefix + Part.unknownValues, .texts(unknown.map { Hex.encode($0.content) }))
    }

    private static func claim(_ number: UInt64, _ tag: AuthorizationTag) -> Claims.Value {
        switch tag.shape {
        case .time: .time(Timestamp(unixMilliseconds: Int64(clamping: number)))
        case .origin: .text(KeyOrigin(rawValue: number)?.name ?? String(number))
        default: Int64(exactly: number).map { .integer($0) } ?? .text(String(number))
        }
    }

    /// Tags by the name of their claim, without the prefix.
    private static let tags: [String: AuthorizationTag] = Dictionary(  // not text from outside
        AuthorizationTag.allCases.map { tag in
            switch tag.shape {
            case .rootOfTrust: (tag.name + Part.state, tag)
            case .application: (tag.name + Part.packages, tag)
            default: (tag.name, tag)
            }
        }, uniquingKeysWith: { first, _ in first })

    /// `nil` if a claim has another type than `add` gives it. Reads the claims in one pass: this runs whenever a registered device is used
    /// that was not in memory.
    init?(_ claims: Claims, prefix: String) {
        var values: [AuthorizationTag: Value] = [:]
        for claim in claims.all where claim.name.hasPrefix(prefix) {
            guard let tag = Self.tags[String(Substring(claim.name.utf8.dropFirst(prefix.utf8.count)))], values[tag] == nil
            else { continue }
            let value: Value? =
                switch tag.shape {
                case .rootOfTrust: RootOfTrust(claims, prefix + tag.name).map { .rootOfTrust($0) }
                case .application: AttestationApplicationID(claims, prefix + tag.name).map { .application($0) }
                default: Self.value(claim.value, tag.shape)
                }
            guard let value else { return nil }
            values[tag] = value
        }
        // Statements that were unknown at registration affect nothing later.
        self.init(values, unknown: [])
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

extension RootOfTrust {
    fileprivate init?(_ claims: Claims, _ name: String) {
        typealias Part = AuthorizationList.Part
        guard case .bytes(let key)? = claims[name + Part.bootKey], case .boolean(let isLocked)? = claims[name + Part.locked],
            let state = claims.text(name + Part.state).flatMap(BootState.init(name:))
        else { return nil }
        let hash: [UInt8]?
        switch claims[name + Part.bootHash] {
        case .bytes(let bytes): hash = bytes
        case nil: hash = nil
        default: return nil
        }
        self.init(bootKey: key, isLocked: isLocked, state: state, bootHash: hash)
    }
}

extension AttestationApplicationID {
    fileprivate init?(_ claims: Claims, _ name: String) {
        typealias Part = AuthorizationList.Part
        guard case .texts(let names)? = claims[name + Part.packages],
            case .texts(let versions)? = claims[name + Part.versions],
            case .texts(let signers)? = claims[name + Part.signers], names.count == versions.count
        else { return nil }
        let numbers = versions.compactMap { Int64($0) }
        let digests = signers.compactMap { Hex.decode($0) }
        guard numbers.count == names.count, digests.count == signers.count else { return nil }
        self.init(packages: zip(names, numbers).map { Package(name: $0, version: $1) }, signers: digests)
    }
}
