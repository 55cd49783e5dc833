import ArgumentParser
import AssayClient
import AssayCore
import AssayLoad
import AssaySimulator
import AssayVirtualDevices
import Foundation

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Load a deployment with virtual devices, and measure how long its answers take.",
        discussion: """
            Calls are sent by a schedule, however fast the daemon answers, and their latencies count from the time for which each was \
            intended: a daemon that stalls is seen by all calls that would have come meanwhile. What was not sent, because as many \
            calls as may be in flight wait or no device is ready, is counted and fails the run.

            The devices are virtual: the daemon trusts their root (trust.test_roots), and the app accepts them (accept_simulated: \
            true). So the load goes to an app for tests. The devices are registered before the load, and each has its next challenge \
            fetched ahead; the verify calls are timed, and the challenge calls beside them.

            Operations of --mix:
              assertion        an upload of an iPhone; takes --phone
              attestation      the registration of a new iPhone; takes --phone
              key-signature    an upload of an Android device; takes --android
              key-attestation  the registration of a new Android device; takes --android
              bundle           an image of a camera of a fleet, without a challenge
              challenge        a challenge alone

            Example:
              assay simulate phone phone --app-id TEAMID1234.com.example.photos
              assay bench --app photos --phone phone --rate 200 --for 30s \\
                  --mix assertion=8,challenge=2 --expect-p99 20ms --plot latency.svg

            Exit status: 0 all was answered as expected; 1 it was not, or a bound was exceeded; 64 wrong usage; 65 unreadable input; \
            69 the daemon is unavailable; 77 not permitted; 78 the app does not accept the devices.
            """)

    @OptionGroup var server: ServerOptions

    @Option(help: "The app, as the daemon's configuration names it.")
    var app: AppID

    @Option(help: ArgumentHelp("Calls in a second, over all operations.", valueName: "number"))
    var rate: Double = 100

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long calls are measured, such as 60s or 5m.", valueName: "duration"))
    var period = SecondsArgument(30)

    @Option(help: ArgumentHelp("How long calls are sent before that are not measured.", valueName: "duration"))
    var warmUp = SecondsArgument(3)

    @Option(
        help: ArgumentHelp(
            "The operations and their weights, such as assertion=8,bundle=1,challenge=1.", valueName: "name=weight,…"))
    var mix = MixArgument(.assertion)

    @Option(help: "constant or poisson: equal gaps, or those of independent users.")
    var arrivals: ArrivalSchedule.Spacing = .constant

    @Option(help: ArgumentHelp("Of poisson: equal seeds make equal schedules. Default: by chance.", valueName: "number"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "The virtual iPhone whose authority and app the load's iPhones have ('assay simulate phone').", valueName: "folder")
    )
    var phone: String?

    @Option(
        help: ArgumentHelp(
            "The virtual Android device whose authority and app the load's devices have ('assay simulate android make').",
            valueName: "folder"))
    var android: String?

    @Option(help: ArgumentHelp("The app of the cameras of bundle. Default: that of --app.", valueName: "app"))
    var cameraApp: AppID?

    @Option(
        help: ArgumentHelp(
            "Virtual devices of each operation; each has one call at a time. Default: as many as calls in a second, 50 to 2000.",
            valueName: "count"))
    var devices: Int?

    @Option(help: ArgumentHelp("Connections, which the calls take in turn.", valueName: "count"))
    var connections: Int = 4

    @Option(
        help: ArgumentHelp(
            "The most calls that wait for an answer at a time. Default: 200 for each connection, at most 1500.",
            valueName: "count"))
    var inFlight: Int?

    @Option(
        name: .customLong("protocol"),
        help: ArgumentHelp(
            "With https and http: connect (protobuf), json (Connect) or grpc. Default: connect. Other addresses are of the framed protocol.",
            valueName: "name"))
    var form: HTTPForm.Calls?

    @Flag(name: .customLong("http1"), help: "With https: HTTP/1.1, where HTTP/2 would be negotiated. Not with grpc.")
    var isHTTP1Only = false

    @Flag(help: "Send verifications without idempotency keys. The client libraries send them, and each costs the daemon a row.")
    var noIdempotencyKeys = false

    @Flag(help: "Remove the records of the load's iPhones and Android devices afterwards. Takes the role devices.")
    var forget = false

    @Option(help: ArgumentHelp("Fail if half of an operation's calls take longer, such as 2.5ms.", valueName: "latency"))
    var expectP50: LatencyArgument?

    @Option(help: ArgumentHelp("Fail if one call of 100 takes longer.", valueName: "latency"))
    var expectP99: LatencyArgument?

    @Option(help: ArgumentHelp("Fail if one call of 1000 takes longer.", valueName: "latency"))
    var expectP999: LatencyArgument?

    @Option(
        help: ArgumentHelp(
            "Fail if a greater share of the calls is not answered as expected, or not sent.", valueName: "percentage"))
    var failOver = ShareArgument()

    @Option(help: ArgumentHelp("Write a plot of the latencies by percentile, SVG.", valueName: "file"))
    var plot: String?

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard rate >= 0.1, rate <= 100_000 else { throw ValidationError("--rate must be from 0.1 to 100000.") }
        guard (1000...86_400_000).contains(period.milliseconds) else { throw ValidationError("--for must be from 1s to 24h.") }
        guard (0...3_600_000).contains(warmUp.milliseconds) else { throw ValidationError("--warm-up must be at most 1h.") }
        if let devices, !(1...100_000).contains(devices) { throw ValidationError("--devices must be from 1 to 100000.") }
        guard (1...256).contains(connections) else { throw ValidationError("--connections must be from 1 to 256.") }
        if let inFlight, !(1...100_000).contains(inFlight) { throw ValidationError("--in-flight must be from 1 to 100000.") }
        guard server.retries == 0, server.traceparent == nil else {
            throw ValidationError(
                "A load sends each call once and without a trace: --retries and --traceparent do not go with it.")
        }
        let makers = Set(mix.kinds.compactMap(\.maker))
        if makers.contains(.phone), phone == nil {
            throw ValidationError(
                "--mix has iPhones: --phone names the folder of a virtual one, which 'assay simulate phone FOLDER --app-id …' makes."
            )
        }
        if makers.contains(.android), android == nil {
            throw ValidationError(
                "--mix has Android devices: --android names the folder of a virtual one, which 'assay simulate android make' makes."
            )
        }
        if isHTTP1Only, form == .grpc { throw ValidationError("gRPC takes HTTP/2: --http1 does not go with --protocol grpc.") }
        let isOverHTTP = ["https://", "http://", "http+unix:"].contains(where: server.address.hasPrefix)
        if !isOverHTTP, form != nil || isHTTP1Only {
            throw ValidationError(
                "--protocol and --http1 are for addresses that begin with https:// or http://, not for \(server.address), "
                    + "which is called by the framed protocol.")
        }
    }

    func run() async throws {
        let makers = try self.makers()
        let progress = BenchProgress()
        let result: BenchResult
        do throws(LoadError) { result = try await measure(makers, progress) } catch {
            progress.end()
            throw failure(error)
        }
        try show(result)
    }

    private func measure(_ makers: LoadDevices.Makers, _ progress: BenchProgress) async throws(LoadError) -> BenchResult {
        let clients = try await connect()
        do throws(LoadError) {
            let devices = LoadDevices(makers, clients) { progress.show($0, $1, $2) }
            let result = try await load(devices, progress)
            progress.end()
            if forget { await forget(devices, progress) }
            await clients.close()
            return result
        } catch {
            await clients.close()
            throw error
        }
    }

    private func connect() async throws(LoadError) -> LoadClients {
        let options = ClientOptions(retry: .once, timeout: server.limit, idempotencyKeys: !noIdempotencyKeys)
        server.noteWhoReadsTheKey()
        let form = HTTPForm(calls: self.form ?? .connect, isHTTP1Only: isHTTP1Only)
        var clients: [AssayClient] = []
        do throws(AssayError) {
            for _ in 0..<connections { clients.append(try await server.connect(options, form)) }
        } catch {
            for client in clients { await client.close() }
            throw .call(error)
        }
        return LoadClients(clients, timeout: server.limit)
    }

    private func load(_ devices: LoadDevices, _ progress: BenchProgress) async throws(LoadError) -> BenchResult {
        let operations = try await devices.operations(mix.kinds, devices: deviceCount)
        let generator = LoadGenerator(plan, zip(operations, mix.parts).map { (operation: $0, weight: $1.weight) })
        let interruption = FirstSignal { generator.stop() }
        let report = await generator.run { progress.show($0) }
        interruption.cancel()
        return BenchResult(command: self, report: report, challenges: devices.challenges.counts)
    }

    /// A failure does not take the measurement away.
    private func forget(_ devices: LoadDevices, _ progress: BenchProgress) async {
        do throws(LoadError) {
            try await devices.forget()
            progress.end()
        } catch {
            progress.end()
            Console.note("the load's devices are not all forgotten: \(error)")
        }
    }

    /// Reads the folders of the virtual devices.
    private func makers() throws -> LoadDevices.Makers {
        let kinds = Set(mix.kinds.compactMap(\.maker))
        return LoadDevices.Makers(
            app: app,
            phone: kinds.contains(.phone) ? try phone.map { try PhoneFolder(path: $0).readKey().phone } : nil,
            android: kinds.contains(.android) ? try android.map { try AndroidFolder(path: $0).readKey().device } : nil,
            cameraApp: cameraApp ?? app)
    }

    var deviceCount: Int { devices ?? min(2000, max(50, Int(rate.rounded(.up)))) }

    var plan: LoadPlan {
        var plan = LoadPlan(
            rate: rate, duration: period.duration, warmUp: warmUp.duration, arrivals: arrivals,
            inFlight: inFlight ?? min(1500, 200 * connections))
        if let seed { plan.seed = seed }
        return plan
    }

    var expectations: LoadExpectations {
        let limits: [(percentile: Double, limit: LatencyArgument?)] = [(50, expectP50), (99, expectP99), (99.9, expectP999)]
        let bounds = limits.compactMap { bound in
            bound.limit.map { LoadExpectations.Bound(percentile: bound.percentile, limit: $0.duration) }
        }
        return LoadExpectations(failedShare: failOver.share, latencies: bounds)
    }

    private func show(_ result: BenchResult) throws {
        if json { Console.print(json: result.json) } else { result.lines.forEach(Console.print) }
        if let plot {
            try OutputFile.write(LatencyPlot(result.report, title: result.title).svg, to: plot)
        }
        guard result.failures.isEmpty else { throw ExitCode(1) }
    }

    // MARK: What ends it before the load

    private func failure(_ error: LoadError) -> any Error {
        switch error {
        case .call(let error): return server.failure(error)
        case .device(let text): return Console.failure("unusable_device", text, status: 65)
        case .refused(let app, let reason, let detail):
            let text = "the app \(app) refuses the load's virtual devices (\(reason)): \(remedy(reason) ?? detail)"
            return Console.failure("devices_refused", text, status: 78)
        }
    }

    private func remedy(_ reason: String) -> String? {
        switch ReasonCode(rawValue: reason) {
        case .simulatedNotAccepted: "an app for tests accepts them by accept_simulated: true in its configuration"
        case .untrustedRoot:
            "the daemon's configuration names their root in trust.test_roots: "
                + [phone, android].compactMap { $0.map { "\($0)/root.pem" } }.joined(separator: ", ")
        default: nil
        }
    }
}

extension HTTPForm.Calls: ExpressibleByArgument {}
