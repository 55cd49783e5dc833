import AssayMetrics
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The process, under the names that Prometheus' client libraries give. Linux only; elsewhere the families have no samples.
struct ProcessMetrics: MetricsCollector {
    private static let cpu = MetricFamily(
        "process_cpu_seconds", .counter, unit: .seconds, "Processor time that the process has used.")
    private static let resident = MetricFamily(
        "process_resident_memory_bytes", .gauge, unit: .bytes, "Memory of the process that is in RAM.")
    private static let virtual = MetricFamily(
        "process_virtual_memory_bytes", .gauge, unit: .bytes, "Address space of the process.")
    private static let threads = MetricFamily("process_threads", .gauge, "Threads of the process.")
    private static let descriptors = MetricFamily("process_open_fds", .gauge, "Open file descriptors.")
    private static let descriptorLimit = MetricFamily("process_max_fds", .gauge, "The limit of open file descriptors.")
    private static let started = MetricFamily(
        "process_start_time_seconds", .gauge, unit: .seconds, "When the process was started, in seconds since 1970.")

    var metricFamilies: [MetricFamily] {
        [
            Self.cpu, Self.resident, Self.virtual, Self.threads, Self.descriptors, Self.descriptorLimit, Self.started,
        ]
    }

    /// Fields of `/proc/self/stat` after the command's name, whose closing parenthesis is the last one (proc(5)). Counted from 0.
    private enum Field {
        static let userTicks = 11
        static let systemTicks = 12
        static let threads = 17
        static let startTicks = 19
        static let virtualBytes = 20
        static let residentPages = 21
    }

    func collect(into exposition: inout Exposition) {
        guard let text = ProcFile.text("/proc/self/stat"), let end = text.lastIndex(of: ")") else { return }
        let fields = text[text.index(after: end)...].split(separator: " ").map { Double($0) ?? 0 }
        guard fields.count > Field.residentPages else { return }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        exposition.add(Self.cpu, number: (fields[Field.userTicks] + fields[Field.systemTicks]) / ticks)
        exposition.add(Self.resident, number: fields[Field.residentPages] * Double(sysconf(Int32(_SC_PAGESIZE))))
        exposition.add(Self.virtual, number: fields[Field.virtualBytes])
        exposition.add(Self.threads, number: fields[Field.threads])
        if let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            exposition.add(Self.descriptors, count: open.count)
        }
        var limit = rlimit()
        if getrlimit(RLIMIT_NOFILE.resource, &limit) == 0 {
            exposition.add(Self.descriptorLimit, count: limit.rlim_cur)
        }
        // The time of the machine's start is the first number after btime.
        let boot = ProcFile.text("/proc/stat")?.split(separator: "\n").first { $0.hasPrefix("btime ") }
            .flatMap { Double($0.dropFirst("btime ".count)) }
        if let boot { exposition.add(Self.started, number: boot + fields[Field.startTicks] / ticks) }
    }
}
