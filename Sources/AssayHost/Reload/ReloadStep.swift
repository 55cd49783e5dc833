/// One thing that follows a configuration while the daemon runs.
///
/// A reload prepares all steps and only then exchanges all of them: what cannot be had is found out before anything changes.
package struct ReloadStep: Sendable {
    /// Exchanges the old for the new. It cannot fail.
    package typealias Exchange = @Sendable () -> Void

    /// What the log calls it.
    package let name: String
    /// Makes what the configuration asks for, without changing anything; throws why it cannot be had.
    package let prepare: @Sendable (Configuration) async throws -> Exchange

    package init(_ name: String, prepare: @escaping @Sendable (Configuration) async throws -> Exchange) {
        (self.name, self.prepare) = (name, prepare)
    }
}
