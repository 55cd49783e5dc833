import AssayAPI
import AssayFramedRPC
import AssayRPC
import AssayService
import Testing

@Suite("Methods of the composed daemon")
struct DaemonMethodsTests {
    private func answer(_ connection: RPCConnection, _ path: String) async -> Result<[UInt8], RPCError> {
        await withCheckedContinuation { continuation in
            // A field that ends too early: no message of any kind.
            connection.send(path, message: [0x0A, 0xFF]) { continuation.resume(returning: $0) }
        }
    }

    @Test("the composed daemon serves every declared method")
    func served() async throws {
        try await TestDaemon.run { daemon in
            let connection = try await RPCConnection.connect(to: try #require(daemon.addresses.first))
            for method in MethodDeclaration.all {
                let answer = await answer(connection, method.path)
                let error = #expect(throws: RPCError.self) { try answer.get() }
                #expect(error?.code == .invalidArgument && error?.reason == "undecodable_message", "\(method.path)")
            }
            await connection.close()
        }
    }

    @Test(
        "the composed daemon serves no method that is not declared",
        arguments: ["", "/", "/assay.v1.Attestation/verify", "/assay.v1.Attestation/", "/assay.v1.Unknown/Method"])
    func unknown(_ path: String) async throws {
        try await TestDaemon.run { daemon in
            let connection = try await RPCConnection.connect(to: try #require(daemon.addresses.first))
            let answer = await answer(connection, path)
            let error = #expect(throws: RPCError.self) { try answer.get() }
            #expect(error?.code == .unimplemented && error?.reason == "unknown_method")
            await connection.close()
        }
    }
}
