package import AssayConfiguration

/// One consumer of the configuration while the daemon runs.
///
/// A reload prepares all steps and only then exchanges all of them: errors appear before anything changes.
package struct ReloadStep: Sendable {
    /// Replaces the old settings with the new ones. It cannot fail.
    package typealias Exchange = @Sendable () -> Void

    /// A property of the configuration.
    package typealias Followed = PartialKeyPath<LiveConfiguration> & Sendable

    /// The name in the log.
    package let name: String
    /// The properties of the configuration that the step follows, alone or with others.
    package let follows: [any Followed]
    /// Makes what the configuration requires, without changing anything; throws the reason if it cannot.
    package let prepare: @Sendable (LiveConfiguration) async throws -> Exchange

    package init(
        _ name: String, follows: [any Followed],
        prepare: @escaping @Sendable (LiveConfiguration) async throws -> Exchange
    ) {
        (self.name, self.follows, self.prepare) = (name, follows, prepare)
    }
}
