import AssayCore
import Synchronization

/// Whether a token can be used.
package enum TokenState: Hashable, Sendable {
    /// Nothing was asked of it yet.
    case untried
    /// It answered last.
    case available
    /// It did not do its part, and is looked for in the background.
    case unavailable(TokenError)
}

/// A token of a PKCS#11 module: finds keys, makes them, and signs with them.
///
/// All calls into the module are made on one thread, which belongs to the token; callers never block. A token that goes away is looked
/// for with growing pauses, and works again when it comes back. A call that hangs makes its request, and those that follow, fail
/// until it returns.
package final class Token: Sendable {
    package let settings: TokenSettings
    private let queue: JobQueue<@Sendable (TokenConnection) -> Void>
    private let clock = CallClock()
    private let status: TokenStatus
    private let threadNumber: Int

    /// Loads the module; asks nothing of the token yet.
    ///
    /// - Parameter onChange: called on the token's thread when the state changes, such as for the log.
    /// - Throws: `module_unusable`; `failed` if the system creates no thread.
    package convenience init(
        _ settings: TokenSettings, onChange: @escaping @Sendable (TokenState) -> Void = { _ in }
    ) throws(TokenError) {
        try self.init(settings, module: try PKCS11Module.load(settings.module), onChange: onChange)
    }

    package init(
        _ settings: TokenSettings, module: PKCS11Module, onChange: @escaping @Sendable (TokenState) -> Void = { _ in }
    ) throws(TokenError) {
        self.settings = settings
        let queue = JobQueue<@Sendable (TokenConnection) -> Void>(limit: settings.queueLimit)
        let status = TokenStatus(onChange)
        (self.queue, self.status) = (queue, status)
        let number = TokenThreads.all.start {
            queue.close()
        } _: { [clock] in
            let connection = TokenConnection(settings, module: module, clock: clock) { status.set($0) }
            while true {
                switch queue.take(within: connection.patience) {
                case .job(let job): job(connection)
                case .idle: connection.tend()
                case .closed: return connection.close()
                }
            }
        }
        guard let number else { throw TokenError(.failed, "the system creates no thread for \(settings.token)") }
        threadNumber = number
    }

    /// The token with these settings that this process uses already, or a new one.
    ///
    /// CAs whose keys are in one token share it: each for itself would try a wrong PIN, and three wrong PINs lock most tokens.
    ///
    /// - Parameter onChange: used if the token is new.
    package static func shared(
        _ settings: TokenSettings, onChange: @escaping @Sendable (TokenState) -> Void = { _ in }
    ) throws(TokenError) -> Token {
        let module = try PKCS11Module.load(settings.module)
        return try shared(settings, module: module, onChange: onChange)
    }

    package static func shared(
        _ settings: TokenSettings, module: PKCS11Module, onChange: @escaping @Sendable (TokenState) -> Void = { _ in }
    ) throws(TokenError) -> Token {
        try inUse.withLock { tokens throws(TokenError) in
            if let token = tokens[settings]?.token { return token }
            let token = try Token(settings, module: module, onChange: onChange)
            tokens = tokens.filter { $0.value.token != nil }
            tokens[settings] = WeakToken(token: token)
            return token
        }
    }

    private static let inUse = Mutex<[TokenSettings: WeakToken]>([:])

    /// Ends with its last user.
    private struct WeakToken {
        weak var token: Token?
    }

    deinit { queue.close() }

    /// Ends the session once what waits is done. Further requests fail.
    package func close() { queue.close() }

    /// Whether the session is closed for good: after `close`, and what waited then.
    package var hasEnded: Bool { !TokenThreads.all.isRunning(threadNumber) }

    package var state: TokenState { status.state }

    /// What keeps the token from being used; `nil` if it answered last, or was not asked yet.
    package var problem: TokenError? {
        if let error = hanging { return error }
        return if case .unavailable(let error) = state { error } else { nil }
    }

    /// Tries again at the next request, without a pause, and with the same PIN even if the token refused it: for an operator's reload.
    package func reload() { _ = queue.post { $0.reload() } }

    /// Finds a key, and lets it sign a random digest.
    package func key(_ selector: KeySelector) async throws(TokenError) -> TokenKey {
        let publicKey = try await perform { connection throws(TokenError) in
            try connection.key(selector, expecting: nil).publicKey
        }
        return TokenKey(selector, of: self, publicKey: publicKey)
    }

    /// The private keys of the token, at most 1024.
    package func keys() async throws(TokenError) -> [TokenKeyFacts] {
        try await perform { connection throws(TokenError) in try connection.keys() }
    }

    /// Makes a key pair in the token: sensitive, never extractable, for signatures only. It is checked to be so, and to sign.
    ///
    /// - Parameters:
    ///   - label: CKA_LABEL of both keys, 1 to 255 bytes, which no private key of the token has.
    ///   - id: CKA_ID of both keys, 1 to 255 bytes, which no private key of the token has; random by default.
    ///   - deadline: in milliseconds; that of the settings by default. Some tokens take seconds.
    package func generateKey(
        _ curve: TokenCurve, label: String, id: [UInt8] = SecureRandom.bytes(20), deadline: Int64? = nil
    ) async throws(TokenError) -> TokenKey {
        guard 1...255 ~= label.utf8.count, 1...255 ~= id.count else {
            throw TokenError(.keyUnsuitable, "a key's label and id have 1 to 255 bytes")
        }
        let answer = PendingAnswer<TokenPublicKey>()
        let publicKey = try await perform(answer, repeats: false, deadline: deadline) { connection throws(TokenError) in
            try connection.generate(curve, label: label, id: id) { !answer.isGiven }
        }
        return TokenKey(KeySelector(label: label, id: id), of: self, publicKey: publicKey)
    }

    // MARK: Requests

    /// Passes work to the token's thread, and does not wait. It is dropped if too many requests wait.
    func post(_ body: @escaping @Sendable (TokenConnection) -> Void) { _ = queue.post(body) }

    func perform<T: Sendable>(
        _ body: @escaping @Sendable (TokenConnection) throws(TokenError) -> T
    ) async throws(TokenError) -> T {
        try await perform(PendingAnswer<T>(), repeats: true, deadline: nil, body)
    }

    /// Passes a request to the token's thread, and waits for the answer, the deadline, or the end of the task.
    private func perform<T: Sendable>(
        _ answer: PendingAnswer<T>, repeats: Bool, deadline: Int64?,
        _ body: @escaping @Sendable (TokenConnection) throws(TokenError) -> T
    ) async throws(TokenError) -> T {
        if let hanging { throw hanging }
        let posted = queue.post { connection in
            // Its deadline passed while it waited.
            guard !answer.isGiven else { return }
            answer.give(Result { () throws(TokenError) in try connection.perform(repeats: repeats, body) })
        }
        switch posted {
        case .accepted: break
        case .full:
            throw TokenError(.busy, "\(settings.queueLimit) requests wait for \(settings.token)")
        case .closed:
            throw TokenError(.closed, "\(settings.token) is not used any more")
        }
        let limit = deadline ?? settings.deadline
        let late = TokenError(.timedOut, "\(settings.token) did not answer within \(DurationText.exact(Int64(limit)))")
        let result = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await Task.sleep(for: .milliseconds(limit)) } catch { return }
                answer.give(.failure(late))
            }
            let result = await withTaskCancellationHandler {
                await answer.value()
            } onCancel: {
                answer.give(.failure(TokenError(.cancelled, "the request was cancelled")))
            }
            group.cancelAll()
            return result
        }
        return try result.get()
    }

    private var hanging: TokenError? {
        let elapsed = clock.elapsed
        guard elapsed > settings.deadline else { return nil }
        return TokenError(.notAnswering, "\(settings.token) has not answered for \(DurationText.rounded(Int64(elapsed)))")
    }
}

/// The state of a token, and where its changes are reported.
private final class TokenStatus: Sendable {
    private let current = Mutex(TokenState.untried)
    private let onChange: @Sendable (TokenState) -> Void

    init(_ onChange: @escaping @Sendable (TokenState) -> Void) { self.onChange = onChange }

    var state: TokenState { current.withLock { $0 } }

    func set(_ state: TokenState) {
        let isNew = current.withLock { current in
            defer { current = state }
            return current != state
        }
        if isNew { onChange(state) }
    }
}
