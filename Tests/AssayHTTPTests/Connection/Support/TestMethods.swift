import AssayAPI
import Foundation
import SwiftProtobuf
import Synchronization

@testable import AssayRPC

/// The methods of a test's server. Those of `test.Test` take and return bytes as they are; the others are declared by the API, so that they
/// have JSON and other names.
enum TestMethods {
    static let echo = "/test.Test/Echo"
    static let unaryEcho = "/test.Test/UnaryEcho"
    static let fail = "/test.Test/Fail"
    static let sleep = "/test.Test/Sleep"
    static let hold = "/test.Test/Hold"
    static let count = "/test.Test/Count"
    static let pour = "/test.Test/Pour"
    static let blob = "/test.Test/Blob"
    static let who = "/test.Test/Who"

    static let issueChallenge = "/assay.v1.Attestation/IssueChallenge"
    static let verify = "/assay.v1.Attestation/Verify"
    static let unblock = "/assay.v1.Devices/Unblock"
    static let listKeys = "/assay.v1.Keys/List"
    static let watch = "/assay.v1.Operations/Watch"
    static let whoAmI = "/assay.v1.Operations/WhoAmI"

    static let failure = RPCError(
        .failedPrecondition, "100 % übel", reason: "thirteen", retryAfterMilliseconds: 1500)
    /// Of the items of ``pour``.
    static let pouredBytes = 16 << 10

    static func all(_ calls: TestCalls) -> [RPCMethod] { plain(calls) + streams(calls) + declared(calls) }

    private static func plain(_ calls: TestCalls) -> [RPCMethod] {
        [
            RPCMethod(path: echo, handler: .batch { RPCCall.answer($0.map { ($0, .success($0.message)) }) }),
            RPCMethod(path: unaryEcho, handler: .unary { call throws(RPCError) in call.message }),
            RPCMethod(path: fail, handler: .unary { _ throws(RPCError) in throw failure }),
            // Until it is cancelled.
            RPCMethod(
                path: sleep,
                handler: .unary { call throws(RPCError) in
                    calls.note("asleep")
                    try? await Task.sleep(for: .seconds(300))
                    calls.note(call.isAbandoned ? "abandoned" : "awake")
                    throw RPCError(.aborted, "awake")
                }),
            // Answered when the test decides.
            RPCMethod(path: hold, handler: .batch { await calls.hold($0) }),
            // As many bytes as the number in the first four says.
            RPCMethod(
                path: blob,
                handler: .unary { call throws(RPCError) in
                    let size = call.message.prefix(4).reduce(0) { $0 << 8 | Int($1) }
                    return [UInt8](repeating: 0x5a, count: size)
                }),
            RPCMethod(
                path: who, handler: .unary { call throws(RPCError) in Array("\(call.peer), counted as \(call.caller)".utf8) }),
        ]
    }

    private static func streams(_ calls: TestCalls) -> [RPCMethod] {
        [
            // 1 to the first byte. Fails at 13.
            RPCMethod(
                path: count,
                handler: .stream { call, writer throws(RPCError) in
                    for number in 1...(call.message.first ?? 1) {
                        if number == 13 { throw failure }
                        try await writer.send([number])
                    }
                }),
            // Without end.
            RPCMethod(
                path: pour,
                handler: .stream { call, writer throws(RPCError) in
                    let item = [UInt8](repeating: 0xa5, count: pouredBytes)
                    do throws(RPCError) {
                        while true {
                            try await writer.send(item)
                            calls.pour()
                        }
                    } catch {
                        calls.note("\(error.code)")
                        throw error
                    }
                }),
        ]
    }

    private static func declared(_ calls: TestCalls) -> [RPCMethod] {
        [
            RPCMethod(
                path: issueChallenge,
                handler: .batch { batch in
                    for call in batch {
                        var response = Assay_V1_IssueChallengeResponse()
                        response.challenge = Data(((try? call.decode(Assay_V1_IssueChallengeRequest.self))?.app ?? "?").utf8)
                        response.expiresAtUnixMs = 1_700_000_000_000
                        call.reply(response)
                    }
                }),
            // Notes the request's key.
            RPCMethod(
                path: verify,
                handler: .unary { call throws(RPCError) in
                    let request = try call.decode(Assay_V1_VerifyRequest.self)
                    calls.note(String(decoding: request.idempotencyKey, as: UTF8.self))
                    return try Assay_V1_Verdict().serialised()
                }),
            RPCMethod(path: unblock, handler: .unary { _ throws(RPCError) in [] }),
            RPCMethod(path: listKeys, handler: .unary { _ throws(RPCError) in [] }),
            RPCMethod(
                path: watch,
                handler: .stream { _, writer throws(RPCError) in
                    for missed: UInt64 in 1...3 {
                        var item = Assay_V1_WatchItem()
                        item.overtaken.missed = missed
                        try await writer.send(item)
                    }
                }),
            RPCMethod(
                path: whoAmI,
                handler: .unary { call throws(RPCError) in
                    var response = Assay_V1_WhoAmIResponse()
                    response.name = "\(call.caller)"
                    return try response.serialised()
                }),
        ]
    }
}

/// What handlers note for a test, and the calls that wait until the test answers them.
final class TestCalls: Sendable {
    private struct State {
        var held: [(call: RPCCall, done: CheckedContinuation<Void, Never>?)] = []
        var notes: [String] = []
        var poured = 0
        var isOver = false
    }

    private let state = Mutex(State())

    var held: [RPCCall] { state.withLock { $0.held.map(\.call) } }
    var notes: [String] { state.withLock { $0.notes } }
    var poured: Int { state.withLock { $0.poured } }

    func note(_ note: String) { state.withLock { $0.notes.append(note) } }
    func pour() { state.withLock { $0.poured += 1 } }

    /// Keeps the calls, and suspends the handler until they are answered.
    func hold(_ calls: [RPCCall]) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                for call in calls.dropLast() { state.held.append((call, nil)) }
                if let last = calls.last { state.held.append((last, continuation)) }
                return state.isOver
            }
            if isOver { failAll() }
        }
    }

    /// Answers every call that is held now by its own message.
    func answerAll() {
        for (call, done) in take() {
            call.reply(call.message)
            done?.resume()
        }
    }

    /// Ends the test's calls, later ones too.
    func failAll() {
        state.withLock { $0.isOver = true }
        for (call, done) in take() {
            call.fail(RPCError(.aborted, "the test is over"))
            done?.resume()
        }
    }

    private func take() -> [(call: RPCCall, done: CheckedContinuation<Void, Never>?)] {
        state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
    }
}
