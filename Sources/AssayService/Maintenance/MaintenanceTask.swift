/// Something that is looked after as long as the daemon runs.
package protocol MaintenanceTask: Sendable {
    /// Called in every period. An error is logged, and the other tasks are performed all the same.
    func perform() async throws

    /// Called once, when the daemon stops and no caller is served any more.
    func conclude() async throws
}

extension MaintenanceTask {
    package func conclude() async throws {}
}
