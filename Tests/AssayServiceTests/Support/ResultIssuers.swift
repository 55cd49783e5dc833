import AssayAPI
import AssayCore
import AssayResults
import AssaySigning
import AssayTesting
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayService

/// A key of results that can fail, and wait for a test before it signs.
final class WatchedSigner: Signer {
    private struct State {
        var failure: SigningError?
        var signatures = 0
        var before: (@Sendable () async -> Void)?
    }
    private let key: FileSigner
    private let state = Mutex(State())

    let waits: Bool

    /// - Parameter waits: whether it is told to wait for a device.
    init(_ algorithm: SigningAlgorithm = .p256, waits: Bool = true) {
        (key, self.waits) = (FileSigner(.random(algorithm)), waits)
    }

    var publicKey: [UInt8] { key.publicKey }
    var algorithm: SigningAlgorithm { key.algorithm }
    var problem: String? { nil }

    /// Signatures that were asked for.
    var signatures: Int { state.withLock { $0.signatures } }
    /// From now on nothing is signed; `nil` ends it.
    func fail(with error: SigningError?) { state.withLock { $0.failure = error } }
    /// Runs before each signature from now on.
    func before(_ action: @escaping @Sendable () async -> Void) { state.withLock { $0.before = action } }

    func sign(_ bytes: [UInt8]) async throws(SigningError) -> [UInt8] {
        let (failure, action) = state.withLock { state in
            state.signatures += 1
            return (state.failure, state.before)
        }
        await action?()
        if let failure { throw failure }
        return try await key.sign(bytes)
    }
}

/// Two issuers with a key each, and what reads their results.
struct ResultIssuers {
    static let audience = "https://uploads.example.com"
    static let other = "https://audit.example.com"
    static let devices = ResultIssuer(.devices, address: "https://assay.example.com")
    static let simulated = ResultIssuer(.simulatedDevices, address: "https://assay.example.com/simulated")
    static let secret = [UInt8](repeating: 0x5E, count: 32)

    let signer: WatchedSigner
    let simulatedSigner: WatchedSigner

    /// - Parameter waits: whether the keys are told to wait for a device.
    init(waits: Bool = true) { (signer, simulatedSigner) = (WatchedSigner(waits: waits), WatchedSigner(waits: waits)) }

    /// - Parameters:
    ///   - issuers: those that have a key.
    func keys(
        _ rule: ResultKeyRule = ResultKeyRule(), of issuers: [ResultIssuer] = [Self.devices, Self.simulated]
    ) throws -> ResultKeyTask.Keys {
        ResultKeyTask.Keys(
            try issuers.map { issuer in
                let signer = issuer.kind == .devices ? signer : simulatedSigner
                return try #require(ResultKey(signer, issuer: issuer))
            }, rule)
    }

    static func composer(
        _ shapes: Set<ResultShape> = Set(ResultShape.allCases), _ change: (inout ResultRule) -> Void = { _ in }
    ) -> ResultComposer {
        var rule = ResultRule(shapes: shapes, audiences: [audience, other])
        rule.clientID = "photos"
        change(&rule)
        return ResultComposer(rule, secret: secret)
    }

    /// Reads a result as its audience does, by what the daemon publishes.
    static func read(
        _ result: Assay_V1_SignedResult, of content: PlainContent = .verdict, from harness: ServiceHarness,
        simulated: Bool = true, nonce: [UInt8]? = nil
    ) async throws -> VerifiedResult {
        let published = try await harness.call(API.getResultKeys, .with { $0.simulated = simulated })
        let token: [UInt8] =
            switch result.outcome {
            case .text(let text)?: Array(text.utf8)
            case .binary(let bytes)?: Array(bytes)
            case .problem(let problem)?: try #require(nil, "\(problem.code)")
            case nil: try #require(nil, "there is no outcome")
            }
        let reader = ResultReader(keys: try JSONWebKeySet(parsing: Array(published.jwks.utf8)))
        var expected = ResultExpectation(
            try #require(ResultShape(result.shape)), issuer: published.issuer, audience: result.audience, nonce: nonce,
            isSimulated: simulated, at: harness.clock.now())
        expected.content = content
        return try reader.read(token, expecting: expected)
    }
}

extension ServiceHarness {
    /// A harness whose app `camera` has results.
    static func signing(
        _ issuers: ResultIssuers, _ rule: ResultKeyRule = ResultKeyRule(),
        of kinds: [ResultIssuer] = [ResultIssuers.devices, ResultIssuers.simulated],
        by composer: ResultComposer = ResultIssuers.composer(), ledger: WatchedLedger = WatchedLedger(),
        requestLog: RequestLog = .closed, places: (any ResultStatusPlaces)? = nil
    ) async throws -> ServiceHarness {
        try await ServiceHarness(
            [.testing(.camera, results: composer), .testing(.notes)], ledger: ledger, requestLog: requestLog,
            resultKeys: try issuers.keys(rule, of: kinds), places: places)
    }

    /// A request that registers a phone and asks for results.
    func registration(
        asking shapes: [ResultShape], for audience: String = ResultIssuers.audience, nonce: [UInt8] = [], key: String = ""
    ) async throws -> VerificationRequest {
        var request = try Handset().registration(try await challenge(.register), at: clock.now())
        request.results = shapes.map { ResultRequest(shape: $0, audience: audience, nonce: nonce) }
        request.idempotencyKey = Array(key.utf8)
        return request
    }
}
