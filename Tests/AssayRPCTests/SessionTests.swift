import Logging
import Synchronization
import Testing

@testable import AssayRPC

@Suite("Sessions of a connection")
struct SessionTests {
    private static let own = RPCPeer.unix(userID: 1, groupID: 1, processID: 1)

    /// Identifies what begins with "Bearer key", and notes what it was asked.
    private final class Directory: Sendable {
        private let state = Mutex<[String]>([])
        var asked: [String] { state.withLock { $0 } }

        var service: RPCService {
            let access = RPCAccess(
                caller: { _ in nil }, refusal: { _, _ in nil },
                identify: { peer, shown in
                    self.state.withLock { $0.append(shown) }
                    guard shown.hasPrefix("Bearer key") else { return .failure(.credentialRefused) }
                    return .success(.key(name: String(shown.dropFirst(7)), origin: peer))
                }, version: { 0 })
            let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            return RPCService(methods: [], access: access, state: ServingState(processors: 1, logger: logger))
        }
    }

    private func session(_ sessions: inout RPCSessions, _ credential: String?) throws -> RPCSession {
        var metadata: RPCMetadata = ["name": "value"]
        if let credential { metadata.append(RPCMetadata.authorization, credential) }
        let session = try sessions.session(for: &metadata)
        #expect(metadata == ["name": "value"], "no handler sees the credential")
        return session
    }

    @Test("each credential is a caller of its own, asked about once, and a call without one is the connection's")
    func credentials() throws {
        let directory = Directory()
        var sessions = RPCSessions(Self.own, in: directory.service)
        for _ in 0..<2 {
            #expect(try session(&sessions, nil).peer == Self.own)
            for name in ["key1", "key1", "key2"] {
                let session = try session(&sessions, "Bearer \(name)")
                #expect(session.peer == .key(name: name, origin: Self.own) && session.identity == .caller(name))
            }
        }
        #expect(directory.asked == ["Bearer key1", "Bearer key2"])
    }

    @Test("a credential that is refused is not remembered, and spoils nothing")
    func refused() throws {
        let directory = Directory()
        var sessions = RPCSessions(Self.own, in: directory.service)
        for _ in 0..<2 { #expect(throws: RPCError.credentialRefused) { try session(&sessions, "Bearer no") } }
        #expect(try session(&sessions, "Bearer key1").identity == .caller("key1"))
        #expect(try session(&sessions, nil).peer == Self.own)
        #expect(directory.asked == ["Bearer no", "Bearer no", "Bearer key1"])
    }

    @Test("credentials are compared as bytes, not by Unicode's equivalence")
    func bytes() throws {
        let directory = Directory()
        var sessions = RPCSessions(Self.own, in: directory.service)
        let (composed, decomposed) = ("Bearer key\u{e9}", "Bearer keye\u{301}")
        for _ in 0..<2 {
            for credential in [composed, decomposed] {
                guard case .key(let name, _) = try session(&sessions, credential).peer else { return #expect(Bool(false)) }
                #expect(name.utf8.elementsEqual(credential.dropFirst(7).utf8))
            }
        }
        #expect(directory.asked.count == 2)
    }

    @Test("more credentials than are remembered are all served, and asked about again")
    func many() throws {
        let directory = Directory()
        var sessions = RPCSessions(Self.own, in: directory.service)
        for round in 1...2 {
            for number in 0...RPCSessions.limit {
                #expect(try session(&sessions, "Bearer key\(number)").identity == .caller("key\(number)"))
            }
            #expect(directory.asked.count <= round * (RPCSessions.limit + 1))
        }
        #expect(directory.asked.count > RPCSessions.limit + 1)
    }
}
