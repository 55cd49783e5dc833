import AssayAPI
import AssayCore
import AssayRPC
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("Declared methods")
struct MethodDeclarationTests {
    @Test("every method is declared with the messages of its rpc in the .proto files")
    func messages() throws {
        func described<Method: APIMethod>(_ method: Method) -> ProtoFiles.Method {
            ProtoFiles.Method(
                path: method.path, request: Method.Request.protoMessageName, response: Method.Response.protoMessageName,
                isStream: method.declaration.form == .stream)
        }
        #expect(try ProtoFiles.methods() == API.all.map { described($0) }.sorted { $0.path < $1.path })
    }

    /// Written a second time, so that a declaration is not compared with itself.
    private static func idempotency(_ path: String) -> Idempotency {
        switch path {
        case "/assay.v1.Attestation/Verify", "/assay.v1.Provisioning/Issue", "/assay.v1.Provisioning/Renew",
            "/assay.v1.Provisioning/ProvisionDevice", "/assay.v1.Uploads/Begin":
            .idempotentWithKey
        case "/assay.v1.Provisioning/AddEnrolments", "/assay.v1.Provisioning/ReadmitDevice",
            "/assay.v1.Provisioning/RemoveEnrolment", "/assay.v1.Devices/Unblock", "/assay.v1.Devices/Unflag",
            "/assay.v1.Devices/Forget",
            "/assay.v1.Audit/ForgetClaims", "/assay.v1.Feeds/Load", "/assay.v1.Attestation/Prepare",
            "/assay.v1.Plugins/ReleaseQuarantine", "/assay.v1.Keys/Create", "/assay.v1.Results/Rotate",
            "/assay.v1.Uploads/Abort":
            .notIdempotent
        default: .idempotent
        }
    }

    @Test("only methods that read, or set what a repeated call sets again, are declared idempotent")
    func idempotency() {
        for method in MethodDeclaration.all { #expect(method.idempotency == Self.idempotency(method.path), "\(method.path)") }
        for hasKey in [false, true] {
            #expect(Idempotency.idempotent.allowsRepeating(hasKey: hasKey))
            #expect(Idempotency.idempotentWithKey.allowsRepeating(hasKey: hasKey) == hasKey)
            #expect(!Idempotency.notIdempotent.allowsRepeating(hasKey: hasKey))
        }
    }

    @Test("a method is served in its declared form")
    func forms() async throws {
        for method in try await ServiceHarness().methods {
            let declaration = try #require(MethodDeclaration.at(method.path))
            let form: MethodDeclaration.Form =
                switch method.handler {
                case .unary: .unary
                case .batch: .batch
                case .stream: .stream
                }
            #expect(form == declaration.form, "\(method.path)")
        }
    }

    /// Written a second time, as above.
    private static let takeTurns = [
        "/assay.v1.Audit/Read", "/assay.v1.Devices/Forget", "/assay.v1.Devices/Import", "/assay.v1.Devices/List",
        "/assay.v1.Devices/ListBlocks", "/assay.v1.Provisioning/ListCertificates", "/assay.v1.Provisioning/ListEnrolments",
        "/assay.v1.Verdicts/List", "/assay.v1.Verdicts/Get", "/assay.v1.Policies/List", "/assay.v1.Policies/Get",
        "/assay.v1.Policies/ListRecordings", "/assay.v1.Policies/DeleteRecordings", "/assay.v1.Policies/ListDifferences",
    ]

    @Test(
        "a call waits for its turn exactly if its method takes turns: past its deadline it is not worked on",
        arguments: MethodDeclaration.all.filter { $0.form == .unary })
    func turns(_ method: MethodDeclaration) async throws {
        let harness = try await ServiceHarness()
        let answer = try await harness.ask(method.path, try AuthorisationTests.sample(method.path), timeout: .zero)
        var error: RPCError?
        if case .failure(let failure)? = answer { error = failure }
        #expect(method.takesTurns == Self.takeTurns.contains(method.path))
        #expect((error == .deadlineExceeded) == method.takesTurns)
    }
}

@Suite("Served method")
struct ServedMethodTests {
    private static let stranger = RPCPeer.unix(userID: 4711, groupID: 1, processID: 1)

    @Test("every call of every method is counted, and every failure by its code", arguments: MethodDeclaration.all)
    func counted(_ method: MethodDeclaration) async throws {
        let harness = try await ServiceHarness(callers: CallerDirectory(byUserID: [1: CallerDirectory.demo]))
        let known = RPCPeer.unix(userID: 1, groupID: 1, processID: 1)
        _ = try await harness.ask(method.path, [0x0A, 0xFF], peer: known)
        for _ in 0..<2 { _ = try await harness.ask(method.path, [], peer: Self.stranger) }
        let counts = harness.calls.counts
        #expect(counts[method.path]?.calls == 3)
        #expect(counts[method.path]?.failures == [.invalidArgument: 1, .permissionDenied: 2])
        #expect(counts.filter { $0.value.calls > 0 }.count == 1 && counts.count == MethodDeclaration.all.count)
    }

    @Test("a verdict that the ledger could not record is counted as a failed call")
    func countedVerdicts() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        _ = try await harness.assert(&handset)
        let request = try handset.assertion(try await harness.challenge(.assert))
        harness.ledger.fail(with: .unavailable("disk full"))
        _ = try await harness.failure(request)
        let counts = try #require(harness.calls.counts[API.verify.path])
        #expect(counts.calls == 3 && counts.failures == [.unavailable: 1])
    }

    @Test("an error of a body is answered by the code of its type, and an unknown one by INTERNAL without its text")
    func errors() {
        struct Unknown: Error {}
        #expect(RPCError(thrown: RequestError("app", "must be set")).code == .invalidArgument)
        #expect(RPCError(thrown: LedgerError.overloaded) == RPCError(LedgerError.overloaded))
        #expect(RPCError(thrown: RPCError.denied) == .denied)
        #expect(RPCError(thrown: CancellationError()) == .cancelled)
        let error = RPCError(thrown: Unknown())
        #expect(error.code == .internalError && error.reason == "method_failed" && error.message == "the method failed")
        #expect(error.cause == "Unknown()")
    }
}
