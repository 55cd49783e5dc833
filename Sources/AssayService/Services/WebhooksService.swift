import AssayAPI
package import AssayCore
import AssayRPC
import SwiftProtobuf

/// `assay.v1.Webhooks`: whether events arrive, and what did not.
package struct WebhooksService: Sendable {
    private let control: any WebhookControl
    private let changes: ChangeRecorder
    private let clock: any WallClock
    private let requestLog: RequestLog

    package init(
        _ control: any WebhookControl, changes: ChangeRecorder, clock: any WallClock, requestLog: RequestLog
    ) {
        (self.control, self.changes, self.clock, self.requestLog) = (control, changes, clock, requestLog)
    }

    package var methods: [MethodBody] {
        [
            .unary(API.listWebhooks) { _, _ in .with { $0.webhooks = control.webhooks() } },
            .unary(API.resendWebhook, resend),
        ]
    }

    private func resend(
        _ caller: Caller, _ request: Assay_V1_ResendWebhookRequest
    ) async throws -> Assay_V1_ResendWebhookResponse {
        // By the daemon's own name of it: what a caller sends stays out of log and audit log.
        guard let name = control.webhooks().first(where: { $0.name == request.name })?.name,
            let count = try resendLetters(of: name)
        else {
            throw RPCError(.notFound, "there is no webhook of that name", reason: "unknown_webhook")
        }
        await changes.record(.resend(webhook: name, letters: count, by: .caller(caller.name)), at: clock.now())
        requestLog.changed("sends dead letters again", by: caller, ["webhook": name, "letters": "\(count)"])
        return .with { $0.deadLetters = UInt32(clamping: count) }
    }

    private func resendLetters(of name: String) throws(RPCError) -> Int? {
        do throws(DeadLettersUnreadable) { return try control.resend(name) } catch {
            throw RPCError(.failedPrecondition, "nothing is sent again: \(error.problem)", reason: "dead_letters_unreadable")
        }
    }
}
