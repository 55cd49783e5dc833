/// Something that is looked after as long as the daemon runs.
package protocol MaintenanceTask: Sendable {
    /// Called in every period. An error is logged, and does not keep other duties from being done.
    func perform() async throws

    /// Called once, when the daemon stops and nobody is served any more.
    func conclude() async throws
}

extension MaintenanceTask {
    package func conclude() async throws {}
}
