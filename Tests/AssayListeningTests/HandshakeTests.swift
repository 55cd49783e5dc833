import AssaySimulator
import AssayTesting
import NIOSSL
import Testing

@testable import AssayListening
@testable import AssayRPC

@Suite("TLS handshakes", .timeLimit(.minutes(30)))
struct HandshakeTests {
    private let tls: ListeningTLS
    private static let known = "uri=spiffe://example.org/uploads dns=false\na"
    private static let stranger = "no name\na"

    init() throws { tls = try ListeningTLS() }

    /// What a client hears until it has heard what it expects, and why the server ended connections.
    private func hear(
        _ expected: String, _ client: TLSConfiguration, at offer: TLSOffer, requiresCertificates: Bool = true
    ) async throws -> (text: String, ended: [String]) {
        let register = ConnectionRegister(ConnectionLimits(), logger: .silent)
        let listeners = ListenerGroup([.tls(host: "127.0.0.1", port: 0)], tls: tls.server, threads: 1, register: register)
        let served = EchoProtocol(register: register, offer: offer, requiresCertificates: requiresCertificates)
        let address = try #require(try await listeners.open(served).first)
        let text = try await EchoClient.say("a", to: address, until: expected, tls: client)
        await listeners.close()
        #expect(register.statistics.handshakesUnderWay == 0 && register.statistics.openConnections == 0)
        return (text, Array(register.statistics.endedConnections.keys))
    }

    @Test("a client with a certificate has its names")
    func known() async throws {
        let client = try tls.client(from: tls.callerCA, naming: ["echo"])
        let heard = try await hear(Self.known, client, at: ListeningTLS.offer)
        #expect(heard.text == Self.known && heard.ended.isEmpty)
    }

    @Test("what cannot be served once its handshake has ended is closed, as it is without TLS", arguments: [true, false])
    func unserved(_ isEncrypted: Bool) async throws {
        var limits = ConnectionLimits()
        limits.maxConnections = 0
        let register = ConnectionRegister(limits, logger: .silent)
        let anywhere: RPCAddress = isEncrypted ? .tls(host: "127.0.0.1", port: 0) : .tcp(host: "127.0.0.1", port: 0)
        let listeners = ListenerGroup([anywhere], tls: tls.server, threads: 1, register: register)
        let address = try #require(try await listeners.open(EchoProtocol(register: register, offer: ListeningTLS.offer)).first)
        let client = isEncrypted ? try tls.client(from: tls.callerCA, naming: ["echo"]) : nil
        #expect(try await EchoClient.say("a", to: address, until: nil, tls: client).isEmpty)
        await listeners.close()
    }

    @Test("a protocol must be named where the offer says so, and only there", arguments: [[], ["http/1.1"]])
    func names(_ protocols: [String]) async throws {
        let client = try tls.client(from: tls.callerCA, naming: protocols)
        let strict = try await hear(Self.known, client, at: ListeningTLS.offer)
        #expect(strict.text.isEmpty && strict.ended == ["wrong_protocol"])
        let mild = try await hear(Self.known, client, at: ListeningTLS.optionalOffer)
        #expect(mild.text == Self.known && mild.ended.isEmpty)
    }

    @Test("a client without a certificate is a stranger where none is demanded, and refused elsewhere")
    func withoutCertificate() async throws {
        let client = try tls.client(from: nil, naming: ["echo"])
        let refused = try await hear(Self.stranger, client, at: ListeningTLS.offer)
        #expect(refused.text.isEmpty && refused.ended == ["handshake_failed"])
        let heard = try await hear(Self.stranger, client, at: ListeningTLS.offer, requiresCertificates: false)
        #expect(heard.text == Self.stranger && heard.ended.isEmpty)
    }

    @Test("a certificate that is shown is verified, whether or not it is demanded", arguments: [true, false])
    func foreign(_ requiresCertificates: Bool) async throws {
        let client = try tls.client(from: TestTLSAuthority("another CA"), naming: ["echo"])
        let heard = try await hear(Self.known, client, at: ListeningTLS.offer, requiresCertificates: requiresCertificates)
        #expect(heard.text.isEmpty && heard.ended == ["handshake_failed"])
    }
}
