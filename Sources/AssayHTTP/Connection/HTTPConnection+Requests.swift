import AssayCore
import AssayListening
import AssayRPC
import NIOCore

extension HTTPConnection {
    // MARK: What a transport hands over

    /// The head of a request.
    ///
    /// - Parameter isEnd: the request has no body.
    func begin(_ number: UInt32, _ head: RequestHead, isEnd: Bool) {
        guard stage != .closed else { return }
        let exchange = enter(number, isHead: head.method == "HEAD")
        noteRequest()
        do throws(HTTPRefusal) {
            try check(head)
            try route(exchange, head, isEnd: isEnd)
        } catch {
            answer(exchange, error)
        }
        if isEnd { end(exchange) }
    }

    func enter(_ number: UInt32, isHead: Bool = false) -> Exchange {
        let exchange = Exchange(number, isHead: isHead, at: now, in: partial)
        exchanges[number] = exchange
        return exchange
    }

    /// A part of a request's body.
    func receive(_ exchange: Exchange, _ bytes: inout ByteBuffer) {
        do throws(RPCError) {
            switch exchange.state {
            case .reading(let intake):
                try exchange.body?.append(&bytes)
                exchange.heldBytes = intake.headBytes + (exchange.body?.heldBytes ?? 0)
            case .conversing(let form):
                exchange.due = now + TimeAmount(server.limits.bodyTimeout)
                try converse(exchange, form, &bytes)
                exchange.heldBytes = exchange.reader?.heldBytes ?? 0
            case .waiting, .decoding, .answered:
                // HTTP/2 ends such a stream.
                if transport?.hasTrailers == false { discard(bytes.readableBytes) }
            }
        } catch {
            refuse(exchange, error)
        }
    }

    /// A request is whole.
    func end(_ exchange: Exchange) {
        exchange.isWhole = true
        switch exchange.state {
        case .reading(let intake):
            exchange.due = nil
            noteRequest()
            guard let body = exchange.body else { return }
            if body.isDear(as: intake.form) {
                exchange.state = .decoding
                return decodeElsewhere(exchange, body, intake)
            }
            exchange.state = .waiting
            do throws(RPCError) {
                try call(exchange, try DecodedCall(body, intake), intake)
            } catch {
                refuse(exchange, error, intake.form, intake.session)
            }
        case .conversing(let form):
            let error: RPCError? = exchange.reader?.isEmpty == false ? .undecodableEnvelope : nil
            outbox.add { [HTTPOutbox.Output(exchange: exchange.number, kind: .file(encoder.end(error, form)))] }
        case .waiting, .decoding, .answered: break
        }
    }

    /// The exchange is over: answered, or its client has ended it.
    ///
    /// - Parameter isReset: the client did, before it had the answer.
    func closed(_ number: UInt32, isReset: Bool) {
        guard let exchange = exchanges.removeValue(forKey: number) else { return }
        if case .waiting = exchange.state, let call = inFlight.removeValue(forKey: number) {
            dispatcher.cancel(call)
            encoder.uploads.forget(call)
        }
        exchange.state = .answered
        outbox.forget(number)
        if isReset { noteReset() }
        finishIfDone()
    }

    private func noteReset() {
        if now - resets.since > TimeAmount(server.limits.floodInterval) { resets = (0, now) }
        resets.count += 1
        let most = isKnown ? server.limits.maxResetsOfKnownPeers : server.limits.maxResets
        if resets.count > most { leave(.tooManyResets) }
    }

    // MARK: What a request is

    private func check(_ head: RequestHead) throws(HTTPRefusal) {
        if let problem = head.problem { throw problem }
        guard let authority = head.authority, !authority.isEmpty else { throw .noHost }
        // No URI has other bytes (RFC 3986 §2), and texts are equal that differ in them.
        guard head.path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw HTTPRefusal(400, "the path has bytes that no URI has")
        }
        guard takesCalls else { throw HTTPRefusal(503, RPCError.goingAway) }
        if case .tcp(_, _, isLoopback: true) = sessions.own.peer, !LocalHost.isNamed(in: authority) {
            // A page of a browser on this machine, whose name someone lets point here.
            throw HTTPRefusal(421, "a server on loopback is asked for by its address or as localhost")
        }
    }

    private func route(_ exchange: Exchange, _ head: RequestHead, isEnd: Bool) throws(HTTPRefusal) {
        if let method = lastPath.method, lastPath.text == head.path, head.method == "POST" {
            return try begin(exchange, head, method, try format(of: head), isEnd: isEnd)
        }
        if head.path == SubrequestAuthorization.path { return try begin(exchange, subrequest: head) }
        if let resource = server.resources.first(where: { $0.serves(head.path) }) {
            return try begin(exchange, head, reading: resource)
        }
        let isConversation = server.reflection != nil && Reflection.paths.contains(head.path)
        let method = server.methods.find(head.path)
        lastPath = (head.path, method)
        guard head.method == "POST" else {
            guard method != nil || isConversation else { throw HTTPRefusal(404, .unknownMethod(head.path)) }
            throw HTTPRefusal(405, "a method is called by POST", [("allow", "POST")])
        }
        let format = try format(of: head)
        if isConversation { return beginConversation(exchange, format) }
        try begin(exchange, head, method, format, isEnd: isEnd)
    }

    private func format(of head: RequestHead) throws(HTTPRefusal) -> CallFormat {
        let accepted: [HTTPAnswer.Field] = [
            (
                "accept-post",
                "application/json, application/proto, application/grpc, application/grpc-web, application/connect+json"
            )
        ]
        guard let type = head.contentType else {
            throw HTTPRefusal(415, "the request has no content-type; JSON has application/json", accepted)
        }
        if lastContentType.text != type { lastContentType = (type, CallFormat(contentType: type)) }
        guard let format = lastContentType.format else {
            throw HTTPRefusal(415, "the content-type is not one of a call; JSON has application/json", accepted)
        }
        if format == .grpc, transport?.hasTrailers != true {
            throw HTTPRefusal(505, "gRPC needs HTTP/2; gRPC-Web and Connect are served over HTTP/1.1")
        }
        return format
    }

    /// The beginning of a call.
    private func begin(
        _ exchange: Exchange, _ head: RequestHead, _ method: HTTPMethods.Entry?, _ format: CallFormat, isEnd: Bool
    ) throws(HTTPRefusal) {
        let isEnvoy = head.path == EnvoyAuthorization.path && format == .grpc
        let form = isEnvoy ? CallForm.envoy : CallForm(format)
        var session = sessions.own
        do throws(RPCError) {
            guard let method = isEnvoy ? server.methods.verification : method else { throw .unknownMethod(head.path) }
            if case .connect = format, method.isStream {
                throw .wrongForm("the method answers with a stream: the content-type is application/connect+json or +proto")
            }
            if case .connectStream = format, !method.isStream {
                throw .wrongForm(
                    "the method answers with one message: the content-type is application/json or application/proto")
            }
            guard !form.isJSON || method.json != nil else { throw .wrongForm("the method has no JSON") }
            // What is not text has at most an envelope around its message.
            if let length = head.contentLength, format != .grpcWebText,
                length > server.limits.maxMessageBytes + EnvelopePrefix.byteCount
            {
                throw .messageTooLarge
            }
            let timeout = try timeout(of: head, format)
            let metadata: RPCMetadata
            (session, metadata) = try caller(of: head)
            // Before anything of the body is kept, inflated or parsed.
            if let refusal = session.refusal(of: method.number, in: server.service) { throw refusal }
            if isClogged { throw .overloaded }
            let encoding = format.isEnveloped ? head.messageEncoding : head.contentEncoding
            let body = try RequestBody(format, encoding: encoding, limit: server.limits.maxMessageBytes)
            let intake = Exchange.Intake(
                form, method, metadata, session, timeout: timeout, idempotencyKey: head.idempotencyKey)
            exchange.state = .reading(intake)
            (exchange.body, exchange.heldBytes) = (body, intake.headBytes)
            exchange.due = now + TimeAmount(server.limits.bodyTimeout)
            if head.expectsContinue, !isEnd { transport?.sendContinue(exchange.number) }
        } catch {
            refuse(exchange, error, form, session)
        }
    }

    /// So many answers wait for the client that it gets no more work done: it is refused before it is closed.
    private var isClogged: Bool { outbox.waitingBytes > server.limits.socket.maxOutboundBytes / 2 }

    private func timeout(of head: RequestHead, _ format: CallFormat) throws(RPCError) -> Duration? {
        let wanted: Duration?
        switch format {
        case .grpc, .grpcWeb, .grpcWebText:
            wanted = try head.grpcTimeout.map { text throws(RPCError) in try CallTimeout.grpc(text) }
        case .connect, .connectStream:
            wanted = try head.connectTimeout.map { text throws(RPCError) in try CallTimeout.connect(text) }
        }
        return wanted.map { min($0, server.limits.longestCallTimeout) }
    }

    /// Who makes a call, and what the call carries beside the credential.
    private func caller(of head: RequestHead) throws(RPCError) -> (RPCSession, RPCMetadata) {
        var metadata = head.callMetadata
        let session = try sessions.session(for: &metadata, from: try client(of: head))
        isKnown = isKnown || Self.isKnown(session)
        return (session, metadata)
    }

    /// The address of the client, as a proxy passes it on that is believed.
    private func client(of head: RequestHead) throws(RPCError) -> String? {
        guard !head.forwarded.isEmpty || !head.forwardedFor.isEmpty else { return nil }
        do throws(TrustedProxies.Disagreement) {
            return try server.settings.trustedProxies.client(
                of: sessions.own.peer, forwarded: head.forwarded, forwardedFor: head.forwardedFor)
        } catch {
            throw .forwardedHeadersDiffer
        }
    }

    // MARK: What is no call

    /// The sub-request of a proxy about an upload, whose header has everything.
    private func begin(_ exchange: Exchange, subrequest head: RequestHead) throws(HTTPRefusal) {
        guard let method = server.methods.verification else { throw HTTPRefusal(404, .unknownMethod(head.path)) }
        var session = sessions.own
        exchange.state = .waiting
        do throws(RPCError) {
            let metadata: RPCMetadata
            (session, metadata) = try caller(of: head)
            let upload = try SubrequestAuthorization.call(head.all, query: head.query, sourceAddress: try client(of: head))
            let number = CallNumber(exchange: exchange.number, method: method.number, form: .subrequest)
            try admit(upload, number, metadata, nil, session)
        } catch {
            refuse(exchange, error, .subrequest, session)
        }
    }

    private func begin(_ exchange: Exchange, _ head: RequestHead, reading resource: any HTTPResource) throws(HTTPRefusal) {
        guard head.method == "GET" || head.method == "HEAD" else {
            throw HTTPRefusal(405, "a file is read by GET", [("allow", "GET, HEAD")])
        }
        if isClogged { throw HTTPRefusal(429, RPCError.overloaded) }
        let share = Admission.Share(calls: 1)
        let (session, admission) = (sessions.own, server.service.state.admission)
        if admission.admit(share, for: session.usage) != nil { throw HTTPRefusal(429, RPCError.overloaded) }
        exchange.state = .waiting
        let request = HTTPFileRequest(path: head.path, query: head.query, accept: head.accept, peer: session.peer)
        let (known, outbox, number) = (head.ifNoneMatch, outbox, exchange.number)
        Task {
            let answer: HTTPAnswer
            do throws(HTTPFileRefusal) {
                guard let file = try await resource.file(request) else { throw HTTPFileRefusal(404, .noSuchFile) }
                answer = HTTPAnswer(file, known: known)
            } catch {
                answer = HTTPAnswer(error)
            }
            admission.release(share, of: session.usage)
            outbox.add { [HTTPOutbox.Output(exchange: number, kind: .file(answer))] }
        }
    }

    private func beginConversation(_ exchange: Exchange, _ format: CallFormat) {
        let form = CallForm(format)
        guard format.isEnveloped, !form.isJSON, form != .grpcWebText else {
            return refuse(exchange, .wrongForm("reflection is a stream of protobuf messages"), form, sessions.own)
        }
        exchange.state = .conversing(form)
        exchange.reader = EnvelopeReader(limit: Reflection.longestRequest)
        exchange.due = now + TimeAmount(server.limits.bodyTimeout)
    }

    /// Answers the messages of a conversation that have come.
    private func converse(_ exchange: Exchange, _ form: CallForm, _ bytes: inout ByteBuffer) throws(RPCError) {
        guard let reflection = server.reflection else { throw .unanswered }
        while let envelope = try exchange.reader?.next(from: &bytes) {
            guard envelope.flags == 0 else {
                // The end of the client's messages, of Connect.
                if envelope.flags & EnvelopePrefix.endOfStream != 0 { continue }
                throw .unknownCompression
            }
            noteRequest()
            // An answer is a thousand times as long as its question, and is made here.
            questions += 1
            guard questions <= Reflection.questionsOfOneRead, !isClogged else { throw .overloaded }
            let answer = try reflection.answer(Array(buffer: envelope.message))
            let item = try encoder.item(answer, CallNumber(exchange: exchange.number, method: 0, form: form))
            outbox.add { [HTTPOutbox.Output(exchange: exchange.number, kind: .item(item, form))] }
        }
    }
}
