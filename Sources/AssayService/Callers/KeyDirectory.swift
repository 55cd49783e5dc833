package import AssayCore
import AssayRPC
import Crypto
import Synchronization

/// The API keys of the ledger, in memory, for looking callers up.
///
/// A key is looked up by its SHA-256: no byte of it is compared with that of another, so that the time of an answer tells nothing of other
/// keys. No number of attempts guesses one, so a good key is always taken; what is limited for each address or user is how many failed attempts
/// are told of one by one.
package final class KeyDirectory: Sendable {
    /// Why a credential is refused. Raw values stand in the log.
    package enum Refusal: String, Error, Sendable {
        case notEncrypted = "key_without_tls"
        case malformed = "malformed_key"
        case unknown = "unknown_key"
        case revoked = "revoked_key"
        case expired = "expired_key"
        case tooManyFailures = "too_many_key_failures"
    }

    private struct State {
        var byHash: [[UInt8]: CallerKey] = [:]
        var byName: [String: CallerKey] = [:]
    }

    private let state = Mutex(State())
    private let clock: any WallClock
    private let time: @Sendable () -> Int64
    private let failures = BucketTable(places: 4096)
    private let failureHash = KeyedHash(secret: SecureRandom.bytes(32))
    /// Failed attempts of one address or user.
    private static let failureRule = RateRule(10, per: .minute)

    /// - Parameters:
    ///   - time: a clock that cannot be set, in microseconds.
    package init(
        _ keys: [CallerKey], clock: any WallClock, time: @escaping @Sendable () -> Int64 = { BootClock.microseconds() }
    ) {
        (self.clock, self.time) = (clock, time)
        for key in keys { put(key) }
    }

    /// Adds a key, or replaces what is known of it: it counts from the next call on.
    func put(_ key: CallerKey) {
        state.withLock { state in
            state.byHash[key.hash] = key
            state.byName[key.name] = key
        }
    }

    /// Takes the keys of a ledger that other daemons change too, as they were read. A key that was added here meanwhile is read next time.
    func replace(by keys: [CallerKey]) {
        var state = State()
        for key in keys { (state.byHash[key.hash], state.byName[key.name]) = (key, key) }
        self.state.withLock { old in
            // What was revoked here since the keys were read stays revoked.
            for (hash, key) in old.byHash where key.revokedAt != nil && state.byHash[hash]?.revokedAt == nil {
                (state.byHash[hash], state.byName[key.name]) = (key, key)
            }
            old = state
        }
    }

    /// The key of that name, if it is neither revoked nor expired.
    func usable(_ name: String) -> CallerKey? {
        guard let key = state.withLock({ $0.byName[name] }), key.isGood(at: clock.now()) else { return nil }
        return key
    }

    /// The key in the value of `authorization`.
    func key(in credential: String, of peer: RPCPeer) -> Result<CallerKey, Refusal> {
        let found = find(credential, peer)
        guard case .failure = found, let rule = Self.failureRule else { return found }
        let origin = failureHash.of(0, "\(PeerIdentity(peer))")
        return failures.take(origin, rule, at: time()) == nil ? found : .failure(.tooManyFailures)
    }

    private func find(_ credential: String, _ peer: RPCPeer) -> Result<CallerKey, Refusal> {
        switch peer {
        case .unix, .tls: break
        // A key that was sent in clear may have been read by others.
        case .tcp, .key: return .failure(.notEncrypted)
        }
        guard let hash = APIKey.hash(inCredential: credential) else { return .failure(.malformed) }
        guard let key = state.withLock({ $0.byHash[hash] }) else { return .failure(.unknown) }
        guard key.revokedAt == nil else { return .failure(.revoked) }
        return key.isGood(at: clock.now()) ? .success(key) : .failure(.expired)
    }
}

/// The text of an API key: `assay_` and 32 random bytes in base64url, 43 characters.
enum APIKey {
    static let prefix = "assay_"
    private static let length = 32

    static func random() -> String { prefix + Base64.url.encode(SecureRandom.bytes(length)) }

    /// SHA-256 of the key's text.
    static func hash(of key: String) -> [UInt8] { SHA256.bytes(of: Array(key.utf8)) }

    /// The hash of the key in `Bearer assay_…`, whose scheme is written in any case (RFC 9110 §11.1); `nil` for another text.
    static func hash(inCredential credential: String) -> [UInt8]? {
        let scheme = "bearer ".utf8
        let bytes = Array(credential.utf8)
        let written = bytes.prefix(scheme.count).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard written.elementsEqual(scheme) else { return nil }
        let key = Array(bytes.dropFirst(scheme.count))
        guard key.starts(with: prefix.utf8), key.count == prefix.utf8.count + 43 else { return nil }
        return SHA256.bytes(of: key)
    }
}
