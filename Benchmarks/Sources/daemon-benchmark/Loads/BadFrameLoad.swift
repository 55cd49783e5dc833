import AssayClient

/// Peers that connect and send bytes that are not a frame. The daemon says so, and closes the connection.
struct BadFrameLoad: Load {
    let clients: [AssayClient] = []
    /// The number of peers, which each connect as often as a round says.
    let peers: Int

    func requests(_ count: Int) -> [[PlainFrame.Request]] { [] }

    func check(_ answer: [UInt8]) throws {}

    func bursts(_ count: Int, over traffic: Traffic) -> [Traffic.Bursts] {
        // The length of a frame, and then a tag that is longer than protobuf's tags are.
        let frame = [0, 0, 0, 100] + [UInt8](repeating: 0xFF, count: 100)
        let each = peers * count / traffic.addresses.count
        return traffic.addresses.map { _ in Array(repeating: (bytes: frame, requests: 1), count: each) }
    }

    func accepted(_ replies: [[UInt8]], by front: LoadFront) throws -> Int {
        guard replies.allSatisfy(PlainFrame.isGoAway) else {
            throw AssayError(.internalError, "a bad frame was answered by something else than GoAway")
        }
        return replies.count
    }
}
