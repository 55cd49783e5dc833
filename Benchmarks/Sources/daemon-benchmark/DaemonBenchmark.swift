import ArgumentParser

/// What the daemon spends on its work, in units of one raw operation of the same run.
@main
struct DaemonBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon-benchmark",
        abstract: "Measure the daemon's CPU per request against one raw P-256 operation, or its allocations.",
        subcommands: [
            AssertionBenchmark.self, TableBenchmark.self, CountsBenchmark.self, ProfileBenchmark.self, SharedBenchmark.self,
            GrowthBenchmark.self, FileGrowthBenchmark.self, BundleBenchmark.self, CertificateBenchmark.self,
            FrontsBenchmark.self, ResultsBenchmark.self, PluginBenchmark.self,
            CapturesBenchmark.self,
        ],
        defaultSubcommand: AssertionBenchmark.self)
}

struct AssertionBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assertion",
        abstract: "An accepted, durable assertion, against one verification.",
        discussion: "Exit status 1 if the ratio is not below --below.")

    @OptionGroup var options: LoadOptions

    @Option(help: "Assertions in each round.")
    var assertions: Int = 20_000

    @Option(help: "Fail unless the ratio is below this.")
    var below: Double = 1.6

    func run() async throws {
        let process = try DaemonProcess(executable: options.daemon, counter: options.counter)
        defer { process.stop() }
        let load = try await AssertionLoad.prepare(process, devices: options.devices, connections: options.connections)
        try await Measurement(
            options: options, noun: "assertion", count: assertions, unit: .verification(), below: below
        ).run(process, load)
    }
}

struct BundleBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle",
        abstract: "An accepted, durable certificate bundle, against one verification.",
        discussion: "Exit status 1 if the ratio is not below --below.")

    @OptionGroup var options: LoadOptions

    @Option(help: "Bundles in each round.")
    var bundles: Int = 20_000

    @Option(help: "Fail unless the ratio is below this. Default: no bound.")
    var below: Double?

    func run() async throws {
        let process = try DaemonProcess(
            executable: options.daemon, DaemonConfiguration(certifies: true), counter: options.counter)
        defer { process.stop() }
        let load = try await BundleLoad.prepare(process, devices: options.devices, connections: options.connections)
        try await Measurement(
            options: options, noun: "bundle", count: bundles, unit: .verification(), below: below
        ).run(process, load)
    }
}

struct CertificateBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "A certificate that is issued and on record, against one signature.",
        discussion: "Exit status 1 if the ratio is not below --below.")

    @OptionGroup var options: LoadOptions

    @Option(help: "Certificates in each round.")
    var certificates: Int = 2_048

    @Flag(help: "Provision devices of a fleet, with three key tables each, instead of issuing on evidence.")
    var fleet = false

    @Option(help: "Fail unless the ratio is below this. Default: no bound.")
    var below: Double?

    func run() async throws {
        let process = try DaemonProcess(
            executable: options.daemon, DaemonConfiguration(certifies: true), counter: options.counter)
        defer { process.stop() }
        let measurement = Measurement(
            options: options, noun: "certificate", count: certificates, unit: .signature(), below: below)
        let (devices, connections) = (options.devices, options.connections)
        if fleet {
            try await measurement.run(
                process, try await FleetLoad.prepare(process, devices: devices, connections: connections))
        } else {
            try await measurement.run(
                process, try await CertificateLoad.prepare(process, devices: devices, connections: connections))
        }
    }
}
