public import AssayAPI
import SwiftProtobuf

/// The webhooks of the configuration, for callers of all apps with the role `operate`.
extension AssayClient {
    /// By name.
    public func webhooks(timeout: Duration? = nil) async throws(AssayError) -> [Assay_V1_Webhook] {
        try await call(API.listWebhooks, Assay_V1_ListWebhooksRequest(), timeout).webhooks
    }

    /// Sends what could not be delivered to a webhook again, in the background. Returns the number of requests.
    public func resendDeadLetters(
        of webhook: String, timeout: Duration? = nil
    ) async throws(AssayError) -> Int {
        Int(try await call(API.resendWebhook, .with { $0.name = webhook }, timeout).deadLetters)
    }
}
