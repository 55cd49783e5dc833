import AssayTesting
import Foundation
import Glibc
import SwiftProtobuf
import Testing

@testable import AssayFramedRPC
@testable import AssayListening
@testable import AssayRPC

@Suite("Listening address")
struct ListeningAddressTests {
    @Test("an address that is taken is a bind error that says so")
    func inUse() async throws {
        try await TestServer.run { server in
            await #expect(throws: RPCBindError(server.address, .inUse)) {
                try await TestServer.run(at: server.address) { _ in }
            }
        }
        await #expect(throws: RPCBindError.self) {
            try await TestServer.run(at: .tcp(host: "no.such.host.invalid", port: 1)) { _ in }
        }
    }
}

@Suite("Unix socket")
struct UnixSocketTests {
    @Test("a Unix socket has its mode before a peer can connect, names its peer, and is removed at the stop")
    func life() async throws {
        let path = socketPath()
        try await TestServer.run(at: .unix(path: path, mode: 0o640)) { server in
            var status = stat()
            #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
            let client = try await RPCConnection.connect(to: server.address)
            let call = Task { () throws -> Text in try await client.call(TestServer.hold, Text("")) }
            try await eventually("it is held") { server.held.calls.count == 1 }
            #expect(server.held.calls.first?.peer == .unix(userID: getuid(), groupID: getgid(), processID: getpid()))
            server.held.answerAll()
            #expect(try await call.value.value == "held")
            await client.close()
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test("a Unix socket behaves like TCP for peers that shut their side, and for faults")
    func halfClose() async throws {
        try await TestServer.run(at: .unix(path: socketPath())) { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.say(Frame.call(1, TestServer.echo, Text("one")).wire)
            try await peer.shutOutput()
            #expect(try await peer.hearAll().map(\.text) == ["one"])
            let faulty = try await RawPeer.connect(to: server.address)
            try await faulty.say([0, 0, 0, 0, 1, 2, 3])
            #expect(try await faulty.hearAll().map(\.goAwayReason) == ["empty_frame"])
        }
    }

    @Test("a socket file without a listener is replaced; one with a listener and other files are left alone")
    func staleFile() async throws {
        let path = socketPath()
        let (_, descriptor) = try UnixSocketFile.claim(path, mode: 0o600)
        close(descriptor)
        #expect(access(path, F_OK) == 0)
        try await TestServer.run(at: .unix(path: path)) { server in
            await #expect(throws: RPCBindError(server.address, .inUse)) {
                try await TestServer.run(at: .unix(path: path)) { _ in }
            }
            let client = try await RPCConnection.connect(to: server.address)
            #expect(try await client.ping() > .zero)
            await client.close()
        }

        let file = socketPath()
        try Data("precious".utf8).write(to: URL(fileURLWithPath: file))
        await #expect(throws: RPCBindError(.unix(path: file), .notASocket)) {
            try await TestServer.run(at: .unix(path: file)) { _ in }
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
        unlink(file)
    }

    @Test("a Unix socket with an impossible path is a bind error that says why")
    func badPaths() async throws {
        let long = RPCAddress.unix(path: "/tmp/" + String(repeating: "x", count: 103))
        await #expect(throws: RPCBindError(long, .pathTooLong)) { try await TestServer.run(at: long) { _ in } }
        let nowhere = RPCAddress.unix(path: "/no/such/directory/socket")
        await #expect(throws: RPCBindError(nowhere, .unavailable("No such file or directory"))) {
            try await TestServer.run(at: nowhere) { _ in }
        }
    }
}
