import AssayCore
import CPKCS11
import Crypto

/// The session with a token: opened, lost, and opened again. Used on the token's thread only.
final class TokenConnection {
    /// A key that was found in this session.
    struct FoundKey {
        let handle: CK_OBJECT_HANDLE
        let publicKey: TokenPublicKey
    }

    /// An open session.
    struct Session {
        let slot: CK_SLOT_ID
        let handle: CK_SESSION_HANDLE
        /// `tokenInfo.flags` when the session was opened.
        let flags: CK_FLAGS
        var keys: [KeySelector: FoundKey] = [:]
    }

    let settings: TokenSettings
    let functions: PKCS11Functions
    private let module: PKCS11Module
    private let clock: CallClock
    private let report: (TokenState) -> Void

    private(set) var session: Session?
    /// The keys that requests used, in this session or an earlier one.
    private var used: [KeySelector: TokenPublicKey] = [:]
    /// Failed attempts to open a session, one after the other.
    private var failures = 0
    private var failure: TokenError?
    /// In milliseconds of uptime.
    private var retryAt: Int64 = 0
    /// SHA-256 of the PIN that the token refused, and how it did.
    private var refused: (pin: SHA256Digest, error: TokenError)?
    /// SHA-256 of the PIN that the token accepted.
    private var accepted: SHA256Digest?
    /// When a key was last looked for in a new session because it was absent, in milliseconds of uptime.
    private var soughtAgainAt: Int64?

    /// - Parameter report: called when the state changes.
    init(
        _ settings: TokenSettings, module: PKCS11Module, clock: CallClock, report: @escaping (TokenState) -> Void
    ) {
        (self.settings, self.module, self.clock, self.report) = (settings, module, clock, report)
        functions = module.functions
    }

    // MARK: Requests

    /// Does something in an open session. A session that turns out to be lost is opened again once, and the work done again.
    ///
    /// - Parameter repeats: false for work that may have been done although it failed.
    func perform<T>(
        repeats: Bool, _ body: (TokenConnection) throws(TokenError) -> T
    ) throws(TokenError) -> T {
        var attempts = repeats && session != nil ? 2 : 1
        while true {
            attempts -= 1
            try open()
            do throws(TokenError) {
                let value = try body(self)
                succeeded()
                return value
            } catch {
                guard error.endsSession else {
                    succeeded()
                    throw error
                }
                lose(error, waiting: attempts == 0)
                if attempts == 0 { throw error }
            }
        }
    }

    /// The key of this name, which must have this public key. It is found and tried once in a session.
    func key(_ selector: KeySelector, expecting publicKey: TokenPublicKey?) throws(TokenError) -> FoundKey {
        if let known = session?.keys[selector] {
            guard publicKey == nil || publicKey == known.publicKey else { throw mismatch(selector) }
            return known
        }
        let found: FoundKey
        do throws(TokenError) {
            found = try findKey(selector, expecting: publicKey)
        } catch {
            guard error.code == .keyAbsent, publicKey != nil, sessionMayBeStale() else { throw error }
            // A key that was there is not: its module may have to look for it again.
            lose(error, waiting: false)
            try open()
            found = try findKey(selector, expecting: publicKey)
        }
        session?.keys[selector] = found
        used[selector] = found.publicKey
        return found
    }

    func mismatch(_ selector: KeySelector) -> TokenError {
        TokenError(.keyMismatch, "the \(selector) of \(settings.token) does not belong to the expected public key")
    }

    private func sessionMayBeStale() -> Bool {
        let now = BootClock.milliseconds()
        if let last = soughtAgainAt, now - last < settings.longestRetry { return false }
        soughtAgainAt = now
        return true
    }

    // MARK: Between requests

    /// How long the thread may wait for a request before it calls `tend`, in milliseconds; `nil`: forever.
    var patience: Int64? {
        if session != nil { return settings.checkInterval }
        return failure == nil ? nil : max(1, retryAt - BootClock.milliseconds())
    }

    /// Looks whether an idle token is still there, or whether a lost one is back and its keys sign.
    func tend() {
        // Errors are reported as states.
        try? perform(repeats: true) { connection throws(TokenError) in
            guard let session = connection.session else { return }
            let info = try connection.tokenInfo(session.slot)
            guard connection.matches(info, slot: session.slot) else { throw connection.absent }
            for (selector, publicKey) in connection.used { try connection.check(selector, publicKey) }
        }
    }

    /// A key that is missing or was exchanged is its own problem, and not the token's.
    private func check(_ selector: KeySelector, _ publicKey: TokenPublicKey) throws(TokenError) {
        do throws(TokenError) {
            if let known = session?.keys[selector] {
                let handles = try findObjects(class: CKO_PRIVATE_KEY, selector, atMost: 2)
                if handles != [known.handle] { session?.keys[selector] = nil }
            }
            _ = try key(selector, expecting: publicKey)
        } catch {
            if error.endsSession { throw error }
        }
    }

    /// Tries at once what failed, the refused PIN too.
    func reload() {
        refused = nil
        retryAt = 0
    }

    /// Ends the session. The token logs out with the last session (C_CloseSession).
    func close() {
        guard let open = session else { return }
        session = nil
        try? call("C_CloseSession") { $0.closeSession(open.handle) }
        module.leave()
    }

    // MARK: Opening

    private func open() throws(TokenError) {
        guard session == nil else { return }
        if let failure, BootClock.milliseconds() < retryAt { throw failure }
        do throws(TokenError) {
            do throws(TokenError) {
                session = try attempt(renewing: failures > 0)
            } catch {
                guard failures == 0, error.code == .tokenAbsent || error.code == .failed else { throw error }
                // The module may have to look for its tokens again.
                session = try attempt(renewing: true)
            }
        } catch {
            retryLater(error)
            throw error
        }
    }

    private func attempt(renewing: Bool) throws(TokenError) -> Session {
        try clock.measure { () throws(TokenError) in _ = try module.enter(renewing: renewing) }
        var handle: CK_SESSION_HANDLE?
        do throws(TokenError) {
            let (slot, info) = try findToken()
            let opened = try openSession(slot, CKF_SERIAL_SESSION)
            handle = opened
            let session = Session(slot: slot, handle: opened, flags: info.flags)
            try login(session)
            return session
        } catch {
            if let handle { try? call("C_CloseSession") { $0.closeSession(handle) } }
            module.leave()
            throw error
        }
    }

    func openSession(_ slot: CK_SLOT_ID, _ flags: CK_FLAGS) throws(TokenError) -> CK_SESSION_HANDLE {
        var handle: CK_SESSION_HANDLE = 0
        try call("C_OpenSession") { $0.openSession(slot, flags, nil, nil, &handle) }
        return handle
    }

    private func login(_ session: Session) throws(TokenError) {
        guard let path = settings.pinFile else { return }
        var pin = try PINFile.read(path)
        defer { for index in pin.indices { pin[index] = 0 } }
        let digest = SHA256.hash(data: pin)
        if let refused, refused.pin == digest { throw refused.error }
        guard session.flags & CKF_USER_PIN_LOCKED == 0 else {
            throw TokenError(.pinRefused, "the PIN of \(settings.token) is locked")
        }
        // The last attempt with a PIN that was never right is left to a person: a daemon that is started again and again would lock the token.
        guard session.flags & CKF_USER_PIN_FINAL_TRY == 0 || accepted == digest else {
            throw TokenError(
                .pinRefused,
                "one more wrong PIN locks \(settings.token); log in once with the right one by the token's own tool")
        }
        do throws(TokenError) {
            let code = try call("C_Login", accepting: [.userAlreadyLoggedIn]) {
                $0.login(session.handle, CKU_USER, &pin, CK_ULONG(pin.count))
            }
            // Behind another login of this process the token did not look at the PIN.
            if code == .ok { accepted = digest }
        } catch {
            guard let code = error.returned, code.refusesPIN else { throw error }
            let refusal = TokenError(
                .pinRefused, "\(settings.token) refused the PIN in \(path) (\(code)); it is not tried again", returned: code)
            (refused, accepted) = ((digest, refusal), nil)
            throw refusal
        }
    }

    /// The token did its part, or refused the request without being at fault.
    private func succeeded() {
        failures = 0
        failure = nil
        report(.available)
    }

    /// Drops a session that failed.
    private func lose(_ error: TokenError, waiting: Bool) {
        close()
        if waiting {
            retryLater(error)
        } else {
            // The next attempt initialises the module if it may.
            failures = max(1, failures)
        }
    }

    private func retryLater(_ error: TokenError) {
        failures += 1
        let delay = min(settings.longestRetry, settings.firstRetry << min(failures - 1, 16))
        retryAt = BootClock.milliseconds() + delay
        if failure != error { report(.unavailable(error)) }
        failure = error
    }

    // MARK: Calls

    /// Calls a function of the module.
    func call(_ name: String, _ body: (PKCS11Functions) -> CK_RV) throws(TokenError) {
        _ = try call(name, accepting: [], body)
    }

    /// Calls a function of the module, which answers with CKR_OK or one of `others`; returns the answer.
    func call(
        _ name: String, accepting others: [ReturnCode], _ body: (PKCS11Functions) -> CK_RV
    ) throws(TokenError) -> ReturnCode {
        let functions = functions
        let code = try clock.measure { () throws(TokenError) in ReturnCode(body(functions)) }
        guard code == .ok || others.contains(code) else { throw TokenError(returned: code, from: name) }
        return code
    }

    /// The handle of the open session.
    func handle() throws(TokenError) -> CK_SESSION_HANDLE {
        guard let session else { throw absent }
        return session.handle
    }
}
