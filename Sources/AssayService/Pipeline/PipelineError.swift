package import AssayCore

/// Why a request cannot be judged. Nothing was decided and nothing was spent. `RPCError+Mapping.swift` maps each case to the wire.
package enum PipelineError: Error, Hashable, Sendable {
    /// The ledger failed.
    case ledger(LedgerError)
    /// No more uses of evidence may be kept, and evidence whose use is not kept could be accepted again.
    case evidenceMemoryFull
    /// Something that the evidence has to be checked with is unavailable, such as a vendor's answer or a revocation list.
    ///
    /// - Parameter check: the check that needs it.
    case evidenceUnavailable(check: String, detail: String)
    /// A bug: a state that the code does not allow.
    case inconsistent(String)
}
