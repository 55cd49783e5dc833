import AssayTesting
import Foundation
import Glibc
import Testing

@testable import AssayListening
@testable import AssayRPC

@Suite("Listeners of a server", .timeLimit(.minutes(30)))
struct ListenerGroupTests {
    private let register = ConnectionRegister(ConnectionLimits(), logger: .silent)
    private static let anywhere = RPCAddress.tcp(host: "127.0.0.1", port: 0)

    private func group(_ addresses: [RPCAddress]) -> ListenerGroup {
        ListenerGroup(addresses, tls: nil, threads: 1, register: register)
    }

    @Test("several addresses are listened at, a second opening tells the same ones, and all of them close together")
    func together() async throws {
        let path = socketPath()
        let listeners = group([Self.anywhere, .unix(path: path)])
        let served = EchoProtocol(register: register)
        var told: [RPCAddress] = []
        let addresses = try await listeners.open(served) { told.append($0) }
        #expect(addresses.count == 2 && told == addresses)
        #expect(try await listeners.open(served) == addresses)
        for address in addresses {
            #expect(try await EchoClient.say("hello", to: address, until: "plain\nhello") == "plain\nhello")
        }
        #expect(await listeners.close())
        #expect(access(path, F_OK) != 0)
        for address in addresses {
            await #expect(throws: (any Error).self) { try await EchoClient.say("", to: address, until: nil) }
        }
    }

    @Test("where a second address is taken, the first one is free again")
    func taken() async throws {
        let path = socketPath()
        let others = ConnectionRegister(ConnectionLimits(), logger: .silent)
        let other = ListenerGroup([.unix(path: path)], tls: nil, threads: 1, register: others)
        let served = EchoProtocol(register: register)
        _ = try await other.open(EchoProtocol(register: others))
        let free = socketPath()
        let listeners = group([.unix(path: free), .unix(path: path)])
        await #expect(throws: RPCBindError(.unix(path: path), .inUse)) { try await listeners.open(served) }
        #expect(access(free, F_OK) != 0)
        #expect(
            try await EchoClient.say("a", to: .unix(path: path), until: "plain\na") == "plain\na",
            "the other one's is left alone")
        await other.close()
    }

    @Test("an address with TLS is not listened at without a certificate for what is spoken there")
    func withoutCertificate() async throws {
        let address = RPCAddress.tls(host: "127.0.0.1", port: 0)
        let served = EchoProtocol(register: register)
        let problem = RPCBindError(address, .unavailable("there is no certificate to show"))
        await #expect(throws: problem) { try await group([address]).open(served) }
        let tls = try ListeningTLS()
        let listeners = ListenerGroup([address], tls: tls.server, threads: 1, register: register)
        await #expect(throws: problem) { try await listeners.open(EchoProtocol(register: register)) }
    }

    @Test("after the end, or an end before the beginning, it does not listen again")
    func afterTheEnd() async throws {
        let served = EchoProtocol(register: register)
        let listeners = group([Self.anywhere])
        #expect(await !listeners.close(), "it did not listen")
        await #expect(throws: CancellationError.self) { try await listeners.open(served) }
        let others = group([Self.anywhere])
        _ = try await others.open(served)
        #expect(await others.close())
        #expect(await !others.close())
        await #expect(throws: CancellationError.self) { try await others.open(served) }
    }

    @Test("open connections are told of the end, and it waits for them")
    func openConnections() async throws {
        let listeners = group([Self.anywhere])
        let address = try #require(try await listeners.open(EchoProtocol(register: register)).first)
        async let heard = EchoClient.say("a", to: address, until: nil)
        try await eventually("it is open") { register.statistics.openConnections == 1 }
        var wereOpen = 0
        await listeners.close { wereOpen = register.statistics.openConnections }
        #expect(wereOpen == 1 && register.statistics.openConnections == 0)
        #expect(try await heard.hasPrefix("plain\n"))
    }
}
