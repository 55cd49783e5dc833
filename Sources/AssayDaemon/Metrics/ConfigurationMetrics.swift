import AssayAPI
import AssayCore
import AssayMetrics

/// The program, the configuration in force, and the apps that it has.
enum ConfigurationMetrics: StatusSubject {
    private static let build = MetricFamily("assay_build", .info, labels: ["version"], "The version of the daemon.")
    private static let configuration = MetricFamily(
        "assay_configuration", .info, labels: ["digest"], "The digest of the configuration in force, as check-config prints it."
    )
    private static let loaded = MetricFamily(
        "assay_configuration_loaded_timestamp_seconds", .gauge, unit: .seconds,
        "When the configuration in force was loaded, in seconds since 1970.")
    private static let refused = MetricFamily(
        "assay_configuration_refused", .gauge, "1 if the last reload was refused, and an earlier configuration is in force.")
    private static let outages = MetricFamily(
        "assay_app_unavailable_formats", .gauge, labels: ["app"],
        "The formats of evidence that an app cannot judge now, and answers UNAVAILABLE.")

    static var families: [MetricFamily] { [build, configuration, loaded, refused, outages] }

    static func collect(_ status: Assay_V1_StatusResponse, into exposition: inout Exposition) {
        exposition.add(build, [status.version], count: 1)
        exposition.add(configuration, [Hex.encode(Array(status.configuration.digest))], count: 1)
        exposition.add(loaded, unixMilliseconds: status.configuration.loadedAtUnixMs)
        exposition.add(refused, isTrue: status.configuration.refusedAtUnixMs != 0)
        for app in status.apps {
            exposition.add(outages, [app.app], count: Set(app.outages.flatMap(\.formats)).count)
        }
    }
}
