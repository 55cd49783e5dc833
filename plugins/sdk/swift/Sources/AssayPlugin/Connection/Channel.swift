/// Calls both ways over the connection: those of the daemon that wait, and those to the host that are in flight.
///
/// One thread. While a call of the daemon waits for the host, `pump` goes on reading: pings are answered, calls are queued.
final class Channel {
    static let queueLimit = 256
    static let queueByteLimit = 64 << 20
    static let hostCallLimit = 16

    /// A call of the daemon's.
    struct Call {
        let id: UInt64
        let content: Frame.Call
        /// Monotonic, in microseconds.
        let arrivedAt: Int64

        /// What it takes while it waits.
        var size: Int { content.message.count + content.method.utf8.count }

        /// `nil`: none.
        var deadline: Int64? {
            content.timeoutMilliseconds == 0 ? nil : arrivedAt + Int64(clamping: content.timeoutMilliseconds) * 1000
        }
    }

    let connection: Connection
    /// Whether the daemon has ended its side.
    private(set) var ended = false
    private var queue: [Call] = []
    private var queuedBytes = 0
    private var servingID: UInt64 = 0
    private var hostCalls: Set<UInt64> = []
    private var lastHostCall: UInt64 = 0
    private var awaited: UInt64 = 0
    private var reply: Frame.Reply?

    init(_ connection: Connection) { self.connection = connection }

    // MARK: Calls of the daemon

    /// The next call, in the order in which they came; `nil` at the end.
    func nextCall() throws(Connection.Fault) -> Call? {
        servingID = 0
        while queue.isEmpty {
            guard try pump() != .end else { return nil }
        }
        let call = queue.removeFirst()
        queuedBytes -= call.size
        servingID = call.id
        return call
    }

    enum Pumped {
        case frame, end, nothingYet
    }

    /// Reads one frame and does what it asks for.
    private func pump(until deadline: Int64? = nil) throws(Connection.Fault) -> Pumped {
        guard !ended else { return .end }
        switch try connection.take(until: deadline) {
        case .end:
            ended = true
            return .end
        case .nothingYet: return .nothingYet
        case .frame(let frame):
            switch frame.kind {
            case .call(let call): try add(frame.callID, call)
            case .reply(let reply): note(frame.callID, reply)
            case .ping: try connection.put(WireWriter.pong())
            case .other: break
            }
            return .frame
        }
    }

    private func add(_ id: UInt64, _ content: Frame.Call) throws(Connection.Fault) {
        guard id != 0 else { throw Connection.Fault(sentence: "the daemon began a call with id 0") }
        guard id != servingID, !queue.contains(where: { $0.id == id }) else {
            throw Connection.Fault(sentence: "the daemon began a call with the id of one that is in flight")
        }
        let call = Call(id: id, content: content, arrivedAt: connection.readAt)
        guard queue.count < Self.queueLimit, queuedBytes + call.size <= Self.queueByteLimit else {
            return try connection.put(
                WireWriter.reply(id, Status(.resourceExhausted, "too_many_calls", "more calls wait than the plugin takes")))
        }
        queue.append(call)
        queuedBytes += call.size
    }

    // MARK: Calls to the host

    /// A reply to a call that is not in flight is ignored.
    private func note(_ id: UInt64, _ reply: Frame.Reply) {
        guard hostCalls.remove(id) != nil, id == awaited else { return }
        self.reply = reply
    }

    /// Begins a call whose reply decides nothing.
    func tell(_ method: String, _ message: [UInt8], deadline: Int64?) throws(Connection.Fault) {
        _ = try begin(method, message, deadline: deadline)
    }

    /// Calls, and waits for the reply.
    func ask(_ method: String, _ message: [UInt8], deadline: Int64?) throws(Connection.Fault) -> HostReply {
        guard let id = try begin(method, message, deadline: deadline) else { return ended ? .gone : .late }
        awaited = id
        reply = nil
        defer { awaited = 0 }
        while true {
            if let reply { return .reply(reply) }
            switch try pump(until: deadline) {
            case .frame: continue
            case .end: return .gone
            case .nothingYet: return .late
            }
        }
    }

    enum HostReply {
        case reply(Frame.Reply)
        /// The connection ended before.
        case gone
        /// The deadline of the daemon's call came before.
        case late
    }

    /// Puts the call behind what waits to be sent. `nil`: the connection ended, or the deadline came, before there was a place.
    private func begin(_ method: String, _ message: [UInt8], deadline: Int64?) throws(Connection.Fault) -> UInt64? {
        while hostCalls.count >= Self.hostCallLimit {
            guard try pump(until: deadline) == .frame else { return nil }
        }
        guard !ended else { return nil }
        let left = deadline.map { UInt32(clamping: max(1, ($0 - System.microseconds()) / 1000)) } ?? 0
        lastHostCall += 1
        hostCalls.insert(lastHostCall)
        try connection.put(WireWriter.call(lastHostCall, method, message, timeoutMilliseconds: left))
        return lastHostCall
    }
}
