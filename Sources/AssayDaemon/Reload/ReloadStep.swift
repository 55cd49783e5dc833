package import AssayConfiguration

/// One consumer of the configuration while the daemon runs.
///
/// A reload prepares all steps and only then exchanges all of them: errors appear before anything changes.
package struct ReloadStep: Sendable {
    /// Replaces the old settings with the new ones. It cannot fail.
    package typealias Exchange = @Sendable () -> Void

    /// The name in the log.
    package let name: String
    /// Makes what the configuration requires, without changing anything; throws the reason if it cannot.
    package let prepare: @Sendable (Configuration) async throws -> Exchange

    package init(_ name: String, prepare: @escaping @Sendable (Configuration) async throws -> Exchange) {
        (self.name, self.prepare) = (name, prepare)
    }
}
