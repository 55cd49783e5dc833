import AssayAPI
import AssayRPC
import AssayTesting
import Synchronization
import Testing

@testable import AssayHTTP

@Suite("Health", .timeLimit(.minutes(30)))
struct HealthRegisterTests {
    private static let peer = RPCPeer.tcp(address: "192.0.2.7", port: 1, isLoopback: false)
    private static let attestation = "assay.v1.Attestation"
    /// `HealthCheckResponse`s.
    private static let (serving, notServing, unknown): ([UInt8], [UInt8], [UInt8]) = ([8, 1], [8, 2], [8, 3])

    private let register = HealthRegister(services: [attestation, "assay.v1.Operations"])

    /// A `HealthCheckRequest`.
    private static func request(_ service: String) -> [UInt8] {
        service.isEmpty ? [] : [0x0A, UInt8(service.utf8.count)] + Array(service.utf8)
    }

    private static func call(_ method: String, _ message: [UInt8]) -> RPCCall {
        RPCCall(method: method, message: message, peer: peer) { _ in }
    }

    /// The method is not there, or has another form.
    private struct NoSuchMethod: Error {}

    private func handler(_ name: String, of register: HealthRegister) -> RPCHandler? {
        register.methods.first { $0.path == "/grpc.health.v1.Health/" + name }?.handler
    }

    private func answer(_ name: String, _ message: [UInt8], of register: HealthRegister? = nil) async throws -> [UInt8] {
        guard case .unary(let work)? = handler(name, of: register ?? self.register) else { throw NoSuchMethod() }
        return try await work(Self.call(name, message))
    }

    private func watchHandler() throws -> RPCHandler.Stream {
        guard case .stream(let work)? = handler("Watch", of: register) else { throw NoSuchMethod() }
        return work
    }

    private func check(_ service: String) async throws -> [UInt8] { try await answer("Check", Self.request(service)) }

    @Test("Nothing is serving before it is said to be")
    func beginning() async throws {
        #expect(try await check("") == Self.notServing)
        #expect(try await check(Self.attestation) == Self.notServing)
    }

    @Test("A check answers what was said last of one service, of several, and of all")
    func check() async throws {
        register.set(true, for: Self.attestation)
        #expect(try await check(Self.attestation) == Self.serving)
        #expect(try await check("assay.v1.Operations") == Self.notServing)
        #expect(try await check("") == Self.notServing)
        register.set(["": true, Self.attestation: false])
        #expect(try await check("") == Self.serving)
        #expect(try await check(Self.attestation) == Self.notServing)
        register.setAll(true)
        for service in ["", Self.attestation, "assay.v1.Operations"] { #expect(try await check(service) == Self.serving) }
        register.set(false, for: "other.v1.Service")
        #expect(try await check("other.v1.Service") == Self.notServing)
    }

    @Test(
        "A check of a name that is not exactly that of a service is answered NOT_FOUND",
        arguments: [
            "nothing", "assay.v1", ".assay.v1.Attestation", "assay.v1.attestation", "assay.v1.Attestation ",
            "/assay.v1.Attestation",
        ])
    func unknown(_ service: String) async throws {
        register.setAll(true)
        await #expect(throws: RPCError.unknownService) { try await check(service) }
    }

    @Test("Names are compared as bytes, so that a letter that looks like another is not that letter")
    func bytes() async throws {
        let register = HealthRegister(services: ["assay.v1.Keys"])
        register.setAll(true)
        // The Kelvin sign is canonically equivalent to the letter.
        let lookalike = "assay.v1.\u{212A}eys"
        #expect(lookalike == "assay.v1.Keys")
        await #expect(throws: RPCError.unknownService) {
            try await answer("Check", Self.request(lookalike), of: register)
        }
        let right = try await answer("Check", Self.request("assay.v1.Keys"), of: register)
        #expect(right == Self.serving)
    }

    @Test("Fields that are not known are skipped, and of two names the last one counts")
    func leniency() async throws {
        register.set(true, for: Self.attestation)
        let other: [UInt8] = [0x12, 1, 0x78, 0x18, 5, 0x25, 1, 2, 3, 4]
        let message = Self.request("nothing") + other + Self.request(Self.attestation)
        #expect(try await answer("Check", message) == Self.serving)
    }

    @Test(
        "Bytes that are no message are answered undecodable_message",
        arguments: [[0x0A], [0x0A, 2, 0x61], [0x0A, 1, 0xFF], [0xFF], [0x0B, 0x0C], [0, 1]] as [[UInt8]])
    func malformed(_ message: [UInt8]) async throws {
        await #expect(throws: RPCError.undecodableMessage) { try await answer("Check", message) }
        let watch = try watchHandler()
        await #expect(throws: RPCError.undecodableMessage) {
            try await watch(Self.call("Watch", message), RPCStreamWriter { _ throws(RPCError) in })
        }
        guard message != [0x0A, 1, 0xFF] else { return }
        await #expect(throws: RPCError.undecodableMessage) { try await answer("List", message) }
    }

    @Test("The list has the whole server and each service, by name")
    func list() async throws {
        register.set(true, for: Self.attestation)
        let entries: [UInt8] =
            [0x0A, 6, 0x0A, 0, 0x12, 2] + Self.notServing
            + [0x0A, 26, 0x0A, 20] + Array(Self.attestation.utf8) + [0x12, 2] + Self.serving
            + [0x0A, 25, 0x0A, 19] + Array("assay.v1.Operations".utf8) + [0x12, 2] + Self.notServing
        #expect(try await answer("List", []) == entries)
    }

    @Test("Every method is open, since a probe is no caller")
    func open() {
        let names = register.methods.map { $0.path.split(separator: "/").last }
        #expect(names == ["Check", "List", "Watch"])
        #expect(register.methods.allSatisfy { $0.isOpen })
    }

    @Test("The services are those of all declared methods, each once")
    func services() {
        let services = HealthRegister().services
        #expect(Set(services).count == services.count)
        let declared = Set(MethodDeclaration.all.map { String($0.path.split(separator: "/")[0]) })
        #expect(Set(services) == declared)
        #expect(services.contains("assay.v1.Attestation") && services.contains("assay.v1.Provisioning"))
    }

    // MARK: Watching

    /// A call of Watch, and what it was sent.
    private final class Watching: Sendable {
        private let sent = Mutex<[[UInt8]]>([])
        private let held = Mutex<(isHeld: Bool, writer: CheckedContinuation<Void, Never>?)>((false, nil))

        var messages: [[UInt8]] { sent.withLock { $0 } }

        /// Until ``release()`` the call does not read.
        func hold() { held.withLock { $0.isHeld = true } }

        func release() {
            held.withLock { held -> CheckedContinuation<Void, Never>? in
                defer { held = (false, nil) }
                return held.writer
            }?.resume()
        }

        var writer: RPCStreamWriter {
            RPCStreamWriter { message throws(RPCError) in
                self.sent.withLock { $0.append(message) }
                await withCheckedContinuation { continuation in
                    let waits = self.held.withLock { held in
                        if held.isHeld { held.writer = continuation }
                        return held.isHeld
                    }
                    if !waits { continuation.resume() }
                }
            }
        }
    }

    /// Watches while `body` runs, then abandons the call. Returns how the stream ended.
    private func watching(_ service: String, _ body: (Watching) async throws -> Void) async throws -> Result<Void, RPCError> {
        let watching = Watching()
        let work = try watchHandler()
        let call = Self.call("Watch", Self.request(service))
        let task = Task { () -> Result<Void, RPCError> in
            do throws(RPCError) { return .success(try await work(call, watching.writer)) } catch { return .failure(error) }
        }
        do { try await body(watching) } catch {
            task.cancel()
            throw error
        }
        task.cancel()
        let end = await task.value
        #expect(register.watcherCount == 0)
        return end
    }

    @Test("A watch is sent the state at once, each change, and nothing when nothing has changed")
    func watch() async throws {
        let end = try await watching(Self.attestation) { watching in
            try await eventually("the state is sent at once") { watching.messages == [Self.notServing] }
            register.set(false, for: Self.attestation)
            register.set(true, for: "assay.v1.Operations")
            register.set(true, for: Self.attestation)
            try await eventually("the change is sent") { watching.messages.count == 2 }
            register.setAll(true)
            register.set(false, for: Self.attestation)
            try await eventually("the change back is sent") { watching.messages.count == 3 }
            #expect(watching.messages == [Self.notServing, Self.serving, Self.notServing])
        }
        #expect(throws: RPCError.cancelled) { try end.get() }
    }

    @Test("A watch of the whole server is told of it alone")
    func watchWhole() async throws {
        _ = try await watching("") { watching in
            try await eventually("the state is sent") { watching.messages.count == 1 }
            register.set(true, for: Self.attestation)
            register.set(true, for: "")
            try await eventually("the change is sent") { watching.messages == [Self.notServing, Self.serving] }
        }
    }

    @Test("A watch of a service that is not known goes on, and is told when the service is known")
    func watchUnknown() async throws {
        _ = try await watching("later.v1.Service") { watching in
            try await eventually("the state is sent") { watching.messages == [Self.unknown] }
            register.setAll(true)
            register.set(true, for: "later.v1.Service")
            try await eventually("the service is known") { watching.messages == [Self.unknown, Self.serving] }
        }
    }

    @Test("A watch that does not read is told of the last change alone when it reads again")
    func slow() async throws {
        _ = try await watching(Self.attestation) { watching in
            watching.hold()
            try await eventually("the state is sent") { watching.messages.count == 1 }
            for round in 0..<1001 { register.set(round.isMultiple(of: 2), for: Self.attestation) }
            watching.release()
            try await eventually("the last state is sent") { watching.messages.count == 2 }
            #expect(watching.messages == [Self.notServing, Self.serving])
        }
    }

    @Test("At the end those who watch are told, then their streams end, and nothing is serving any more")
    func stop() async throws {
        register.setAll(true)
        let end = try await watching(Self.attestation) { watching in
            try await eventually("the state is sent") { watching.messages == [Self.serving] }
            register.stop()
            try await eventually("the end is sent") { watching.messages == [Self.serving, Self.notServing] }
            register.setAll(true)
            register.set(true, for: Self.attestation)
            register.set([Self.attestation: true])
            register.stop()
            try await eventually("the stream has ended") { register.watcherCount == 0 }
            #expect(try await check(Self.attestation) == Self.notServing)
            #expect(try await check("") == Self.notServing)
            #expect(watching.messages.count == 2)
        }
        #expect(throws: RPCError.drained) { try end.get() }
    }

    @Test("A watch that begins after the end is told that nothing is serving")
    func watchAfterStop() async throws {
        register.setAll(true)
        register.stop()
        _ = try await watching("") { watching in
            try await eventually("the state is sent") { watching.messages == [Self.notServing] }
        }
    }

    @Test("A watch whose message cannot be sent ends with the error, and is forgotten")
    func unsendable() async throws {
        let work = try watchHandler()
        await #expect(throws: RPCError.drained) {
            try await work(Self.call("Watch", []), RPCStreamWriter { _ throws(RPCError) in throw .drained })
        }
        #expect(register.watcherCount == 0)
    }

    @Test(
        "16 watches of a peer are told of changes that several threads make, a 17th is refused, and all end when they are cancelled"
    )
    func race() async throws {
        let watches = (0..<16).map { _ in Watching() }
        let work = try watchHandler()
        let register = register
        try await withThrowingTaskGroup(of: Void.self) { group in
            for watching in watches {
                group.addTask { try? await work(Self.call("Watch", Self.request(Self.attestation)), watching.writer) }
            }
            for thread in 0..<4 {
                group.addTask {
                    for round in 0..<500 { register.set((round + thread).isMultiple(of: 2), for: Self.attestation) }
                }
            }
            try await eventually("all watch") { register.watcherCount == watches.count }
            await #expect(throws: RPCError.tooManyWatchers) {
                try await work(Self.call("Watch", []), RPCStreamWriter { _ throws(RPCError) in })
            }
            for _ in 0..<4 { try await group.next() }
            register.set(true, for: Self.attestation)
            try await eventually("all are told of the last state") { watches.allSatisfy { $0.messages.last == Self.serving } }
            group.cancelAll()
        }
        #expect(register.watcherCount == 0)
    }
}
