package import AssayCore

/// One verification of one writer's chain, wherever it is read from: follows the chain, and compares it with heads that were kept
/// elsewhere and with the ledger's public key. `AuditExpectations` makes it.
package struct AuditCheck: Sendable {
    package let writer: AuditWriter
    private let publicKey: [UInt8]?
    private var expected: [ExpectedAuditHead] = []
    private let expectedStarts: [ExpectedAuditStart]
    private var verifier: AuditVerifier?
    private var first = AuditChain()
    /// The lowest start that a signed head names.
    private var earliestStart: AuditChain?
    /// What was found wrong beside the chain.
    private var fault: AuditError?
    private var goodSignatures = 0
    private var uncheckedSignatures = 0

    /// - Parameters:
    ///   - publicKey: 32 bytes; `nil`: signatures are not verified.
    ///   - heads: heads that were kept elsewhere. The signature is verified where there is one.
    ///   - starts: where the chain has to begin.
    init(of writer: AuditWriter, publicKey: [UInt8]?, heads: [ExpectedAuditHead], starts: [ExpectedAuditStart]) {
        (self.writer, self.publicKey, expectedStarts) = (writer, publicKey, starts)
        for head in heads {
            if let signed = head.signed { checkSignature(signed) }
            expected.append(head)
        }
    }

    /// Says where the chain begins. Once.
    ///
    /// - Parameter end: where it ends by what the ledger keeps beside the records, read before them; more may follow.
    package mutating func begin(at start: AuditChain, to end: AuditChain? = nil) {
        first = start
        // Where a signed head says that the log began is a head that the chain passes, unless it was dropped since.
        let starts = expected.compactMap { head in
            head.start.flatMap { $0.number >= start.number ? ExpectedAuditHead($0) : nil }
        }
        // The daemon may have dropped everything up to that end since.
        let ends = [end].compactMap { $0 }.filter { $0.number >= start.number }.map { ExpectedAuditHead($0) }
        verifier = AuditVerifier(from: start, expecting: expected + starts + ends)
        for head in expected { note(head.start) }
        for fault in expectedStarts.compactMap({ $0.fault(in: start) }) { report(fault) }
    }

    private mutating func note(_ start: AuditChain?) {
        guard let start, start.number < earliestStart?.number ?? .max else { return }
        earliestStart = start
    }

    /// True from `begin` on.
    package var hasBegun: Bool { verifier != nil }
    /// True if the chain is broken: more rows would change nothing.
    package var isDecided: Bool { verifier?.isDecided ?? false }
    /// As far as the rows are chained.
    package var chain: AuditChain { verifier?.chain ?? first }

    package mutating func take(_ row: AuditRow) { verifier?.take(row) }

    /// A signed head that stands in the log itself, behind the record that it names.
    package mutating func take(_ head: SignedAuditHead) {
        checkSignature(head)
        guard head.writer == writer else {
            return report(AuditError(.rewritten, at: chain.number, "a signed head of another writer stands behind it"))
        }
        note(head.start)
        guard !isDecided, chain != head.chain else { return }
        report(
            AuditError(
                head.chain.number > chain.number ? .missing : .rewritten, at: min(head.chain.number, chain.number &+ 1),
                "a signed head names record \(head.chain.number), but record \(chain.number) stands before it"))
    }

    /// Something that was found wrong by other means. The lowest number counts.
    package mutating func report(_ found: AuditError) {
        if let fault, fault.number <= found.number { return }
        fault = found
    }

    private mutating func checkSignature(_ head: SignedAuditHead) {
        guard let publicKey else {
            uncheckedSignatures += 1
            return
        }
        guard head.isSigned(by: publicKey) else {
            return report(AuditError(.badSignature, at: head.chain.number, "its signed head is not by that key"))
        }
        goodSignatures += 1
    }

    package mutating func finish() -> AuditReport {
        // Of the same number, the chain's own fault says most.
        var found = verifier?.finish()
        if let fault, fault.number < found?.number ?? .max { found = fault }
        return AuditReport(
            writer: writer, start: first, chain: chain, fault: found, expected: expected.count,
            isStartExpected: !expectedStarts.isEmpty,
            cutSince: earliestStart.map { max(0, first.number &- $0.number) } ?? 0,
            goodSignatures: goodSignatures, uncheckedSignatures: uncheckedSignatures)
    }
}

/// What was asked for cannot be checked: a sentence.
package struct AuditCheckError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}

extension AuditCheck {
    /// Follows the chain in a ledger. A daemon may run on it meanwhile.
    mutating func read(_ ledger: any LedgerBackend, to end: AuditChain?) throws {
        var cutFrom: AuditChain?
        try ledger.readAudit(of: writer) { page in
            if !hasBegun { begin(at: page.start, to: end) }
            // Dropped by the daemon between two pages.
            if page.start.number > chain.number { cutFrom = page.start }
            guard cutFrom == nil else { return false }
            for row in page.rows { take(row) }
            return !isDecided
        }
        if let cutFrom { throw AuditCheckError("records up to \(cutFrom.number) were dropped while they were read; try again") }
    }
}
