import NIOSSL

/// The CAs that callers' certificates must come from, as they are in use at one time.
struct ClientTrustStore: Sendable {
    private let authorities: Set<NIOSSLCertificate>
    /// How many times a CA was taken out before. A connection that was verified when there were fewer may have been vouched for
    /// by a CA that is gone.
    let removals: Int

    init(_ authorities: [NIOSSLCertificate]) { self.init(Set(authorities), removals: 0) }

    private init(_ authorities: Set<NIOSSLCertificate>, removals: Int) {
        (self.authorities, self.removals) = (authorities, removals)
    }

    /// The trust that follows, and how many CAs of this one are not in it. A newer certificate of a CA is another.
    func replaced(by authorities: [NIOSSLCertificate]) -> (trust: ClientTrustStore, removed: Int) {
        let next = Set(authorities)
        let removed = self.authorities.subtracting(next).count
        return (ClientTrustStore(next, removals: removals + (removed > 0 ? 1 : 0)), removed)
    }

    /// The end of the CA that ends first after `time`, in seconds since 1970 as `time` is; nil: all have ended.
    func firstEnd(after time: Int64) -> Int64? {
        authorities.lazy.map { Int64($0.notValidAfter) }.filter { $0 > time }.min()
    }
}
