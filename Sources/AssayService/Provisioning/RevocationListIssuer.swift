package import AssayCore
package import Logging
import Synchronization

/// Signs the revocation lists of the CAs and keeps them in the ledger: a new one when a certificate was revoked since the last, and in
/// time before its next update. The lists of several daemons on a ledger have one sequence of numbers.
package actor RevocationListIssuer {
    private let ledger: any CertificateRegistry
    private let clock: any WallClock
    private let logger: Logger
    private let authority: any CertificateAuthority
    private let rule: Mutex<RevocationListRule>
    private let takes: @Sendable () async throws(LedgerError) -> Bool
    /// The last of those who sign for a CA: they wait for each other, so that one new list answers all of them.
    private var signing: [[UInt8]: Task<Result<StoredRevocationList?, any Error>, Never>] = [:]

    /// - Parameter takes: whether this daemon renews lists before they end; another one of the same ledger may.
    package init(
        ledger: any CertificateRegistry, authority: any CertificateAuthority, rule: RevocationListRule,
        takes: @escaping @Sendable () async throws(LedgerError) -> Bool = { true }, clock: any WallClock, logger: Logger
    ) {
        (self.ledger, self.authority, self.takes) = (ledger, authority, takes)
        self.rule = Mutex(rule)
        (self.clock, self.logger) = (clock, logger)
    }

    /// Follows a new configuration.
    package nonisolated func use(_ rule: RevocationListRule) { self.rule.withLock { $0 = rule } }

    /// Where the list of a CA is published; `nil` if certificates name no place.
    package nonisolated func url(ofListOf name: String) -> String? {
        try? rule.withLock(\.url)?.filledURI(DeviceNames(ca: name))
    }

    /// The list of a CA that says everything that is revoked now; signed now if the kept one does not. If that fails, the kept one as
    /// long as it has not ended.
    ///
    /// - Parameter issuer: SHA-256 of the CA's SubjectPublicKeyInfo.
    /// - Returns: `nil` for a CA that is not in the configuration, or that has no list because it never signed.
    package func current(_ issuer: [UInt8]) async throws -> StoredRevocationList? {
        let before = signing[issuer]
        let task = Task { () -> Result<StoredRevocationList?, any Error> in
            _ = await before?.value
            do { return .success(try await refreshed(issuer)) } catch { return .failure(error) }
        }
        signing[issuer] = task
        return try await task.value.get()
    }

    private func refreshed(_ issuer: [UInt8]) async throws -> StoredRevocationList? {
        let now = clock.now()
        let kept = try await ledger.revocationList(of: issuer)
        guard let facts = authority.authorities(at: now).first(where: { $0.issuer == issuer }) else { return kept }
        guard try await isDue(kept, of: facts, at: now) else { return kept }
        do {
            return try await sign(after: kept, issuer: issuer, at: now)
        } catch {
            guard let kept, kept.nextUpdate > now, try await ledger.revocationCount(of: issuer) == kept.revocationCount else {
                throw error
            }
            logger.warning("a revocation list could not be renewed", metadata: ["ca": "\(facts.name)", "error": "\(error)"])
            return kept
        }
    }

    /// Whether a CA needs another list than the kept one.
    private func isDue(_ kept: StoredRevocationList?, of facts: AuthorityFacts, at now: Timestamp) async throws -> Bool {
        switch facts.state {
        case .next, .ended: return false
        case .signing: break
        case .retiring:
            // A list is needed as long as a certificate of the CA is valid, which a ledger that went back may lack.
            if kept?.revocationCount == StoredRevocationList.passed { return true }
            guard let last = try await ledger.lastExpiry(of: facts.issuer), last > now else { return false }
        }
        guard let kept else { return true }
        let rest = kept.nextUpdate.milliseconds(since: now)
        let renewBefore = rule.withLock(\.renewBefore)
        // In the second half of that time any daemon renews it: the one whose task it is may lack the CA's key.
        if rest <= renewBefore / 2 { return true }
        if rest <= renewBefore, try await takes() { return true }
        return try await ledger.revocationCount(of: facts.issuer) > kept.revocationCount
    }

    private func sign(
        after kept: StoredRevocationList?, issuer: [UInt8], at now: Timestamp
    ) async throws -> StoredRevocationList? {
        // The count is read first: a revocation that comes between both reads is in the list, and asks for another list all the same.
        let count = try await ledger.revocationCount(of: issuer)
        let content = RevocationListContent(
            number: Self.number(after: kept, at: now), thisUpdate: now,
            nextUpdate: now.adding(milliseconds: rule.withLock(\.lifetime)),
            revoked: try await ledger.revocations(of: issuer, validAt: now))
        let list = StoredRevocationList(
            issuer: issuer, number: content.number, thisUpdate: content.thisUpdate, nextUpdate: content.nextUpdate,
            revocationCount: count, der: try await authority.sign(content, issuer: issuer))
        // Another daemon may have been faster; then its list counts.
        guard try await ledger.keep(list) else { return try await ledger.revocationList(of: issuer) }
        logger.info(
            "signed a revocation list",
            metadata: ["number": "\(list.number)", "revoked": "\(content.revoked.count)", "next_update": "\(list.nextUpdate)"])
        return list
    }

    /// The milliseconds since 1970, so that numbers rise (RFC 5280 §5.2.3) also where the lists before are lost: a restored backup does not
    /// know which ones were published since.
    private static func number(after kept: StoredRevocationList?, at now: Timestamp) -> Int64 {
        max(now.unixMilliseconds, (kept?.number ?? 0) + 1)
    }
}

/// How long revocation lists are good.
package struct RevocationListRule: Hashable, Sendable {
    /// From thisUpdate to nextUpdate, in milliseconds.
    package var lifetime: Int64
    /// A list is signed again this long before its next update, in milliseconds.
    package var renewBefore: Int64
    /// Where lists are published, with `{ca}` for the CA's name; `nil`: certificates name no place.
    package var url: NameTemplate?

    package init(lifetime: Int64 = 7 * 86_400_000, renewBefore: Int64? = nil, url: NameTemplate? = nil) {
        (self.lifetime, self.renewBefore, self.url) = (lifetime, renewBefore ?? lifetime / 2, url)
    }
}
