import AssayCore
import AssayRPC
import AssayService
import Testing

@Suite("Errors of the pipeline")
struct PipelineErrorTests {
    @Test(
        "each error of the pipeline has its code, text, reason and retry time on the wire",
        arguments: [
            (
                PipelineError.ledger(.unavailable("disk full")), RPCStatusCode.unavailable,
                "the ledger is unavailable; no answer can be given, so repeat the request", "ledger_unavailable", UInt32(1000)
            ),
            (
                .ledger(.overloaded), .resourceExhausted, "the ledger has as many entries waiting as it may",
                "ledger_overloaded", 100
            ),
            (
                .evidenceMemoryFull, .unavailable, "no more uses of evidence may be kept; nothing was decided",
                "evidence_memory_full", 60_000
            ),
            (
                .evidenceUnavailable(check: "play_token", detail: "no answer"), .unavailable, "play_token: no answer",
                "evidence_unavailable", 1000
            ),
            (
                .fleetNotConfigured, .failedPrecondition,
                "the configuration has no fleet for this app: its devices are neither provisioned nor renewed",
                "fleet_not_configured", nil
            ),
            (
                .upload(.incomplete(missing: [0, 2, 3], count: 5)), .failedPrecondition, "3 of 5 chunks are missing: 0, 2-3",
                "upload_incomplete", nil
            ),
            (.inconsistent("what should not happen"), .internalError, "what should not happen", "", nil),
        ] as [(PipelineError, RPCStatusCode, String, String, UInt32?)])
    func wire(_ error: PipelineError, _ code: RPCStatusCode, _ message: String, _ reason: String, _ retry: UInt32?) {
        let mapped = RPCError(error)
        #expect(mapped.code == code && mapped.message == message && mapped.reason == reason)
        #expect(mapped.retryAfterMilliseconds == retry)
    }

    @Test("the cause of a ledger's failure stays out of the message and is kept for the log")
    func cause() {
        let mapped = RPCError(PipelineError.ledger(.unavailable("disk full")))
        #expect(!mapped.message.contains("disk full") && mapped.cause.contains("disk full"))
    }
}
