import NIOSSL

/// The CAs that callers' certificates must come from, in one version of the configuration.
struct ClientTrustStore: Sendable {
    private let authorities: Set<NIOSSLCertificate>
    /// How often a CA was removed before this version. A CA that verified a connection under a lower number may be gone.
    let removals: Int

    init(_ authorities: [NIOSSLCertificate]) { self.init(Set(authorities), removals: 0) }

    private init(_ authorities: Set<NIOSSLCertificate>, removals: Int) {
        (self.authorities, self.removals) = (authorities, removals)
    }

    /// The next version, and how many CAs of this one are not in it. A newer certificate of a CA counts as another CA.
    func replaced(by authorities: [NIOSSLCertificate]) -> (trust: ClientTrustStore, removed: Int) {
        let next = Set(authorities)
        let removed = self.authorities.subtracting(next).count
        return (ClientTrustStore(next, removals: removals + (removed > 0 ? 1 : 0)), removed)
    }

    /// When the next CA expires after `time`; nil: all have expired. Both in seconds since 1970.
    func firstEnd(after time: Int64) -> Int64? {
        authorities.lazy.map { Int64($0.notValidAfter) }.filter { $0 > time }.min()
    }
}
