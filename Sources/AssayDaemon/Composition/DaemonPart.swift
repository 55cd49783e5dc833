import AssayMetrics
import AssayService
import ServiceLifecycle

/// A long-lived part of the daemon: what the daemon has to do for it as long as it runs. Each property is asked once, when the daemon is
/// composed, and always says the same.
protocol DaemonPart: Sendable {
    /// What runs beside the server, in the order of starting; stopped in the opposite order, after the server.
    var services: [any Service] { get }
    /// What follows the configuration while the daemon runs, in the order in which it is prepared and exchanged.
    var reloadSteps: [ReloadStep] { get }
    /// What measures itself, in the order of a scrape.
    var collectors: [any MetricsCollector] { get }
    /// What is performed in every period, and concluded when no caller is served any more.
    var maintenanceTasks: [any MaintenanceTask] { get }
}

/// A part names only what it has.
extension DaemonPart {
    var services: [any Service] { [] }
    var reloadSteps: [ReloadStep] { [] }
    var collectors: [any MetricsCollector] { [] }
    var maintenanceTasks: [any MaintenanceTask] { [] }
}
