import AssayPlugin

/// The approved clients and their keys. A client has several keys while one takes the place of another.
struct ClientRegistry {
    enum State: String, CaseIterable {
        /// Registered, and not approved yet.
        case pending
        case active
        /// An older key, accepted until `validUntil`.
        case deprecated
        case revoked
    }

    struct Key {
        let clientID: String
        /// Ed25519, 32 bytes.
        let publicKey: [UInt8]
        let state: State
        /// Milliseconds since 1970, this moment included.
        let validUntil: Int64
    }

    private let keys: [[UInt8]: [Key]]

    /// Reads the list of the configuration.
    init(_ setting: Setting) {
        var seen: Set<[UInt8]> = []
        let list = setting.list(1...1000) { element in
            let key = Self.key(element)
            // Who signed could not be told.
            if key.publicKey.count == 32, !seen.insert(key.publicKey).inserted {
                element["public_key"].report("another entry has the same key; give each client its own, and each key one state")
            }
            return key
        }
        // By bytes: a dictionary of String would take other characters for the same.
        keys = Dictionary(grouping: list) { Array($0.clientID.utf8) }
    }

    private static func key(_ element: Setting) -> Key {
        element.allowOnly("client_id", "public_key", "state", "valid_until")
        let state = element["state"].choice(of: State.self) ?? .revoked
        let publicKey = element["public_key"].hex(size: 32)
        if Ed25519.isWeak(publicKey) {
            element["public_key"].report("the key is of small order: anything would be signed by it")
        }
        return Key(
            clientID: element["client_id"].text(sizes: 1...128), publicKey: publicKey, state: state,
            validUntil: validUntil(element["valid_until"], state))
    }

    private static func validUntil(_ setting: Setting, _ state: State) -> Int64 {
        guard state == .deprecated else {
            if setting.isGiven { setting.report("only a deprecated key has a valid_until; remove it") }
            return 0
        }
        let text = setting.text(sizes: 1...40)
        // Text that cannot be read was reported.
        guard !text.isEmpty else { return 0 }
        if let time = UTCTime.milliseconds(text) { return time }
        setting.report("expected a time in UTC such as 2025-01-31T00:00:00Z")
        return 0
    }

    func keys(of clientID: String) -> [Key] {
        keys[Array(clientID.utf8)] ?? []
    }
}
