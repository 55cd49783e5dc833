/// Which lines of one kind are logged: in a period one for each caller, and no more than ``limit``. So a flood costs little, and
/// a second caller that does the same is named too.
struct WarningQuota {
    static let period = Duration.seconds(10)
    static let limit = 20

    private var end = ContinuousClock.now.advanced(by: Self.period)
    private var named: Set<PeerIdentity> = []
    private var heldBack: UInt64 = 0

    /// How many lines were held back since the last one, or nil if this one is held back too.
    mutating func take(_ caller: PeerIdentity, at now: ContinuousClock.Instant = .now) -> UInt64? {
        if now >= end { (end, named) = (now.advanced(by: Self.period), []) }
        guard named.count < Self.limit, named.insert(caller).inserted else {
            heldBack += 1
            return nil
        }
        defer { heldBack = 0 }
        return heldBack
    }
}
