package import AssayAPI

/// The webhooks of the configuration, for those who operate the daemon.
package protocol WebhookControl: Sendable {
    /// In the order of their names. Does no I/O that can wait.
    func webhooks() -> [Assay_V1_Webhook]

    /// Sends a webhook's dead letters again, in the background. Returns their number; `nil`: there is no such webhook.
    func resend(_ name: String) throws(DeadLettersUnreadable) -> Int?
}

/// The file of a webhook's dead letters cannot be read.
package struct DeadLettersUnreadable: Error {
    /// With the file's path.
    package let problem: String
    package init(problem: String) { self.problem = problem }
}

/// A daemon without webhooks.
package struct NoWebhooks: WebhookControl {
    package init() {}
    package func webhooks() -> [Assay_V1_Webhook] { [] }
    package func resend(_ name: String) throws(DeadLettersUnreadable) -> Int? { nil }
}
