import AssaySimulator
import AssayTesting
import Testing

@Suite("HTTPS server for tests", .timeLimit(.minutes(30)))
struct TestHTTPSServerTests {
    @Test("A cancelled wait for requests ends", arguments: [Duration.zero, .milliseconds(100)])
    func cancelled(after wait: Duration) async throws {
        let issued = try TestTLSAuthority("vendor CA").issue(.server, names: [.dns("localhost")])
        let server = try await TestHTTPSServer(certificate: issued.certificate, privateKey: issued.privateKey)
        let (counts, ended) = AsyncStream.makeStream(of: Int.self)
        let waiting = Task { ended.yield(await server.requests(atLeast: 1).count) }
        try await Task.sleep(for: wait)
        waiting.cancel()
        var iterator = counts.makeAsyncIterator()
        #expect(await iterator.next() == 0)
        try await server.stop()
    }
}
