/// A plugin gave no usable answer. The caller is answered UNAVAILABLE, never with a verdict.
package struct PluginUnavailable: Error, Hashable, Sendable, CustomStringConvertible {
    /// Raw values are shown to callers and counted. Never renamed.
    package enum Reason: String, CaseIterable, Hashable, Sendable {
        /// No process was ready, or free, within the call's deadline.
        case notReady = "plugin_not_ready"
        /// The queue is full.
        case busy = "plugin_busy"
        /// The plugin did not answer within the deadline.
        case timeout = "plugin_timeout"
        /// The process ended before it answered.
        case ended = "plugin_ended"
        /// The answer is against the contract.
        case invalidAnswer = "plugin_invalid_answer"
        /// The plugin answered with a status other than OK.
        case status = "plugin_error"
        /// The circuit breaker is open: the plugin ended too often.
        case broken = "plugin_broken"
        /// The plugin cannot be started before something is changed.
        case refused = "plugin_refused"
        case disabled = "plugin_disabled"
        /// The plugin is no longer in the catalog, or the daemon stops.
        case stopped = "plugin_stopped"
        /// The daemon's store did not answer.
        case registry = "registry_unavailable"
        /// The caller went away.
        case cancelled
    }

    package let reason: Reason
    /// A sentence.
    package let description: String
    /// The sentence with the reason, as callers get it.
    package var words: String { "\(description) (\(reason.rawValue))" }
    /// When another try may help; `nil`: that is not known.
    package let retryAfter: Duration?

    package init(_ reason: Reason, _ description: String, retryAfter: Duration? = nil) {
        (self.reason, self.description, self.retryAfter) = (reason, description, retryAfter)
    }
}
