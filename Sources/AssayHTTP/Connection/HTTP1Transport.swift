import AssayRPC
import NIOCore
import NIOHTTP1

/// HTTP/1.1 (RFC 9112) on a connection. One request is in work at a time; those that a client sends behind it wait, and nothing more is read
/// meanwhile.
final class HTTP1Transport: ChannelInboundHandler, HTTPTransport {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// What a request in work still has before it.
    private struct Current {
        let exchange: UInt32
        var keepsAlive: Bool
        /// The request came whole.
        var isWhole = false
        var isAnswered = false
        /// The answer has no length: it ends with an empty chunk, or with the connection.
        var isChunked = false
        /// Whether the client knows chunks.
        let knowsChunks: Bool
    }

    let hasTrailers = false
    /// It takes little memory.
    let mayRest = false
    func rest() -> Bool { false }
    private let connection: HTTPConnection
    private let limits: HTTPLimits
    private var context: ChannelHandlerContext?
    private var current: Current?
    private var count: UInt32 = 0
    /// What came behind the request in work.
    private var waiting: [HTTPServerRequestPart] = []
    private var isTaking = false
    private var isLeaving = false
    private(set) var headSince: NIODeadline?

    private init(_ connection: HTTPConnection) { (self.connection, limits) = (connection, connection.server.limits) }

    /// Adds the handlers of HTTP/1.1 to the end of a channel's pipeline.
    static func add(to channel: any Channel, for connection: HTTPConnection) throws {
        let limits = connection.server.limits
        let transport = HTTP1Transport(connection)
        var bounds = NIOHTTPDecoderLimitConfiguration()
        bounds.maxHeaderFieldSize = limits.maxHeaderBytes
        bounds.maxHeaderListSize = limits.maxHeaderBytes
        bounds.maxHeaderFieldCount = limits.maxHeaderFields
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(HTTPResponseEncoder())
        try pipeline.addHandler(
            ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: bounds)))
        try pipeline.addHandler(transport)
        connection.transport = transport
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: In

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        waiting.append(Self.unwrapInboundIn(data))
        take()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if connection.exchanges.isEmpty, connection.overhead > 0, headSince == nil { headSince = connection.now }
        context.fireChannelReadComplete()
    }

    /// Takes what has come, up to the next request while one is in work.
    private func take() {
        guard !isTaking else { return }
        isTaking = true
        defer { isTaking = false }
        var taken = 0
        while taken < waiting.count, connection.takesRequests {
            // Answers that the client does not read would heap up.
            if case .head = waiting[taken], current != nil || context?.channel.isWritable != true { break }
            let part = waiting[taken]
            taken += 1
            take(part)
        }
        waiting.removeFirst(min(taken, waiting.count))
        connection.meter?.hold(!waiting.isEmpty)
    }

    private func take(_ part: HTTPServerRequestPart) {
        switch part {
        case .head(let head): begin(head)
        case .body(var bytes):
            guard let current else { return }
            connection.overhead -= min(connection.overhead, bytes.readableBytes)
            if let exchange = connection.exchanges[current.exchange] { connection.receive(exchange, &bytes) }
        case .end:
            guard let number = current?.exchange else { return }
            current?.isWhole = true
            if let exchange = connection.exchanges[number] { connection.end(exchange) }
            next()
        }
    }

    private func begin(_ request: HTTPRequestHead) {
        count &+= 1
        headSince = nil
        current = Current(
            exchange: count, keepsAlive: request.isKeepAlive && !isLeaving,
            knowsChunks: request.version != .http1_0 && request.version.major == 1)
        var head = RequestHead()
        head.method = request.method.rawValue
        head.readTarget(request.uri)
        for (name, value) in request.headers { head.read(name.lowercased(), value, limits: limits) }
        // NIO's decoder reads nothing behind an offer to change the protocol, which is not taken.
        if request.method == .CONNECT || request.headers.contains(name: "upgrade") { current?.keepsAlive = false }
        // What stands between may see other requests in the same bytes.
        if head.problem != nil || head.authority?.isEmpty != false { current?.keepsAlive = false }
        connection.begin(count, head, isEnd: false)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Nothing after it can be read. A request in work is answered by what is wrong, so that its client learns it.
        guard let error = error as? HTTPParserError else { return connection.close(because: .reset) }
        let isHead = current == nil
        // Behind the last answer, or at the end of a body that was refused, it says nothing more.
        if isHead, connection.stage != .serving { return }
        if isHead { count &+= 1 }
        current = current ?? Current(exchange: count, keepsAlive: false, isWhole: true, knowsChunks: true)
        current?.keepsAlive = false
        current?.isWhole = true
        let isTooLong = error == .headerOverflow
        if isHead {
            connection.answer(connection.enter(count), isTooLong ? .tooLong : .init(400, "it is not HTTP/1.1"))
        } else if let number = current?.exchange, let exchange = connection.exchanges[number] {
            connection.refuse(exchange, .undecodableMessage)
        }
        connection.meter?.hold(true)
    }

    // MARK: Out

    func write(_ answer: HTTPAnswer, of exchange: UInt32, isFirst: Bool) {
        defer { connection.outbox.wrote(answer.body.readableBytes, of: exchange) }
        guard current?.exchange == exchange, context != nil else { return }
        if isFirst { begin(answer.head, answer.requestID, length: answer.body.readableBytes) }
        if answer.body.readableBytes > 0 { write(.body(.byteBuffer(answer.body))) }
        write(.end(nil))
        current?.isAnswered = true
        next()
    }

    func write(_ item: ByteBuffer, _ format: CallFormat, of exchange: UInt32, isFirst: Bool) {
        defer { connection.outbox.wrote(item.readableBytes, of: exchange) }
        guard current?.exchange == exchange else { return }
        if isFirst { begin(.usual(format), nil, length: nil) }
        write(.body(.byteBuffer(item)))
    }

    /// - Parameter length: that of the body; `nil` for one whose end is not known.
    private func begin(_ answer: HTTPAnswer.Head, _ requestID: String?, length: Int?) {
        var headers = HTTPHeaders()
        let status: Int
        switch answer {
        case .usual(let format):
            status = 200
            headers.add(name: "content-type", value: format.contentType)
        case .other(let code, let fields):
            status = code
            for (name, value) in fields { headers.add(name: name, value: value) }
        }
        if let requestID { headers.add(name: RequestIDField.header, value: requestID) }
        if let length {
            if !headers.contains(name: "content-length"), status != 304 {
                headers.add(name: "content-length", value: "\(length)")
            }
        } else if current?.knowsChunks == true {
            headers.add(name: "transfer-encoding", value: "chunked")
        } else {
            current?.keepsAlive = false
        }
        if isLeaving { current?.keepsAlive = false }
        // A body that still comes is not read to its end for the sake of the connection.
        if current?.isWhole != true { current?.keepsAlive = false }
        if current?.keepsAlive != true { headers.add(name: "connection", value: "close") }
        let version: HTTPVersion = current?.knowsChunks == false ? .http1_0 : .http1_1
        write(.head(HTTPResponseHead(version: version, status: HTTPResponseStatus(statusCode: status), headers: headers)))
    }

    private func write(_ part: HTTPServerResponsePart) { context?.write(Self.wrapOutboundOut(part), promise: nil) }

    /// Goes on to the next request once one came whole and is answered.
    private func next() {
        guard let done = current, done.isAnswered, done.isWhole || !done.keepsAlive else { return }
        current = nil
        connection.closed(done.exchange, isReset: false)
        guard done.keepsAlive else {
            waiting = []
            return connection.leave(.clientLeaving)
        }
        take()
    }

    func sendContinue(_ exchange: UInt32) {
        guard current?.knowsChunks == true else { return }
        write(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
        context?.flush()
    }

    /// What waits is in the socket's buffer, and the connection's write timeout sees it.
    func resetStuck(since: NIODeadline) {}

    func proceed() { take() }

    func announceEnd(_ reason: HTTPEndReason) -> Bool { false }

    func goAway(_ reason: HTTPEndReason) { isLeaving = true }

    func flush() { context?.flush() }
}
