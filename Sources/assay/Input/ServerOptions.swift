import ArgumentParser
import AssayAPI
import AssayClient
import AssayCommandLine
import AssayConfiguration
import AssayCore
import Foundation

/// The address of the daemon, and the time limits of calls.
struct ServerOptions: ParsableArguments {
    /// The options, each of which a value follows: they may stand before the command.
    static let names = [
        "--server": true, "--tls-ca": true, "--tls-cert": true, "--tls-key": true, "--server-name": true, "--timeout": true,
        "--retries": true, "--traceparent": true, "--key-file": true,
    ]

    @Option(help: ArgumentHelp("The daemon: tls:host:port, https://host:port, host:port or unix:/path.", valueName: "address"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "With tls and https: the CA of the daemon's certificate, PEM. With https the default is those of the machine.",
            valueName: "file"))
    var tlsCa: String?

    @Option(help: ArgumentHelp("With tls and https: the certificate to show, PEM.", valueName: "file"))
    var tlsCert: String?

    @Option(help: ArgumentHelp("With tls and https: the certificate's key, PEM.", valueName: "file"))
    var tlsKey: String?

    @Option(help: ArgumentHelp("The file with your API key, in place of a certificate.", valueName: "file"))
    var keyFile: String?

    @Option(
        help: ArgumentHelp(
            "With tls and https: the name in the daemon's certificate, if it is not the host of the address.", valueName: "name"
        ))
    var serverName: String?

    @Option(
        help: ArgumentHelp(
            "The time limit of a call, including repetitions, such as 10s or 500ms; a number alone is seconds.",
            valueName: "duration"))
    var timeout = SecondsArgument(10)

    @Option(help: "How often a call is repeated while the daemon is unavailable. 0 fails at once.")
    var retries: Int = 0

    @Option(
        help: ArgumentHelp(
            "The trace that the call belongs to, as W3C Trace Context writes it. Default: the variable TRACEPARENT.",
            valueName: "00-…"))
    var traceparent: String?

    func validate() throws {
        if let traceparent, let problem = TraceContext.problem(of: traceparent) {
            throw ValidationError("--traceparent is no trace parent: \(problem).")
        }
        guard (1...3_600_000).contains(timeout.milliseconds) else { throw ValidationError("--timeout must be from 1ms to 1h.") }
        guard (0...100).contains(retries) else { throw ValidationError("--retries must be from 0 to 100.") }
        // A script that has lost its value would ask another daemon than it means.
        guard server != nil || ProcessInfo.processInfo.environment["ASSAY_SERVER"] != "" else {
            throw ValidationError(
                "The environment variable ASSAY_SERVER is empty: set it to the daemon's address, such as tls:assay.example:7443, or unset it."
            )
        }
    }

    var address: String { named ?? Self.usualAddress }
    /// Whether an option or the environment names the daemon.
    var isNamed: Bool { named != nil }
    private var named: String? { server ?? Self.environment("ASSAY_SERVER") }

    /// Whether the daemon is on this machine, by its address.
    var isOnThisMachine: Bool {
        if address.hasPrefix("unix:") || address.hasPrefix("http+unix:") { return true }
        let rest = ["https://", "http://", "tls:", "tcp:"].first(where: address.hasPrefix).map { address.dropFirst($0.count) }
        let place = (rest ?? address[...]).prefix { $0 != "/" }
        if place.hasPrefix("[") { return Loopback.contains(place.dropFirst().prefix { $0 != "]" }) }
        return Loopback.contains(place.prefix { $0 != ":" })
    }

    /// The socket of the service that the package installs, or the port that the examples use.
    private static var usualAddress: String {
        let socket = "/run/assay/assayd.sock"
        return FileManager.default.fileExists(atPath: socket) ? "unix:" + socket : "127.0.0.1:7421"
    }
    var limit: Duration { timeout.duration }

    private var authorities: String? { tlsCa ?? Self.environment("ASSAY_TLS_CA") }
    private var certificate: String? { tlsCert ?? Self.environment("ASSAY_TLS_CERT") }
    private var privateKey: String? { tlsKey ?? Self.environment("ASSAY_TLS_KEY") }

    /// Which of the files for TLS were not named.
    private var missing: String {
        let options = [
            (authorities, "--tls-ca (ASSAY_TLS_CA)"), (certificate, "--tls-cert (ASSAY_TLS_CERT)"),
            (privateKey, "--tls-key (ASSAY_TLS_KEY)"),
        ]
        return "not given: " + options.compactMap { $0.0 == nil ? $0.1 : nil }.joined(separator: ", ")
            + "; or an API key: --key-file (ASSAY_KEY_FILE) with --tls-ca"
    }

    /// What the user may do about the error; empty if nothing is known. Begins with a separator.
    private func hint(_ error: AssayError) -> String {
        switch error.reason {
        case "credentials_required": "; \(missing)"
        case "connect_failed" where authorities == nil && error.message.contains("not from a CA that is trusted here"):
            "; --tls-ca (ASSAY_TLS_CA) names the CA of a certificate that no CA of this machine issued"
        default: ""
        }
    }

    /// The credentials from options or the environment; `nil` if they are incomplete, or the address needs none.
    ///
    /// - Parameter key: takes the place of a certificate.
    private func credentials(_ key: ClientKey?) throws(AssayError) -> ClientCredentials? {
        // What the environment names is for the addresses that take it. An option is meant for this one, and would be a call in the clear.
        let forTLS = [("--tls-ca", tlsCa), ("--tls-cert", tlsCert), ("--tls-key", tlsKey), ("--server-name", serverName)]
        if let (option, _) = forTLS.first(where: { $0.1 != nil }), !["tls:", "https:"].contains(where: address.hasPrefix) {
            throw AssayError(
                .invalidArgument,
                "\(option) says nothing for \(address), which is called without TLS: want --server tls:HOST:PORT or https://HOST:PORT",
                reason: "bad_credentials")
        }
        if address.hasPrefix("https:") { return try webCredentials() }
        if let authorities, key != nil, certificate == nil, privateKey == nil {
            return try ClientCredentials(authorities: authorities, serverName: serverName)
        }
        guard let authorities, let certificate, let privateKey else { return nil }
        return try ClientCredentials(
            authorities: authorities, certificate: certificate, privateKey: privateKey, serverName: serverName)
    }

    /// Of an address with https: the CAs are those of the machine unless they are named, and a certificate may be shown.
    private func webCredentials() throws(AssayError) -> ClientCredentials? {
        switch (authorities, certificate, privateKey) {
        case (nil, nil, nil):
            return try serverName.map { (name) throws(AssayError) in try .trustingTheMachine(serverName: name) }
        case (let authorities?, nil, nil): return try ClientCredentials(authorities: authorities, serverName: serverName)
        case (nil, let certificate?, let privateKey?):
            return try .trustingTheMachine(identity: (certificate, privateKey), serverName: serverName)
        case (let authorities?, let certificate?, let privateKey?):
            return try ClientCredentials(
                authorities: authorities, certificate: certificate, privateKey: privateKey, serverName: serverName)
        case (_, nil, _?), (_, _?, nil):
            throw AssayError(
                .invalidArgument,
                "a certificate is shown with its key: --tls-cert (ASSAY_TLS_CERT) and --tls-key (ASSAY_TLS_KEY)",
                reason: "bad_credentials")
        }
    }

    /// An empty variable counts as unset; ``validate()`` refuses an empty address.
    private static func environment(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The trace of the option, or else of the environment, where a text that is not of the form counts as none.
    private var trace: TraceContext? {
        (traceparent ?? Self.environment("TRACEPARENT")).flatMap {
            TraceContext(traceParent: $0, traceState: Self.environment("TRACESTATE") ?? "")
        }
    }

    /// Does the work under the trace, if there is one.
    private func traced<T>(_ work: () async throws(AssayError) -> T) async throws(AssayError) -> T {
        guard let trace else { return try await work() }
        let result: Result<T, AssayError> = await TraceContext.$current.withValue(trace) {
            do throws(AssayError) { return .success(try await work()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Connects, runs `work`, and closes; prints errors for people, and exits with the matching status.
    func with<T>(_ work: (AssayClient) async throws(AssayError) -> T) async throws -> T {
        do throws(AssayError) { return try await ask(work) } catch { throw failure(error) }
    }

    /// Says why a call of the daemon has no answer; throw the result.
    func failure(_ error: AssayError) -> ExitCode {
        // An error during the connection already names the address.
        let text = "\(error)" + hint(error)
        return error.failure(text.contains(address) ? text : "\(address): \(text)")
    }

    /// - Parameter form: of calls to an address of HTTP.
    func connect(_ options: ClientOptions, _ form: HTTPForm = HTTPForm()) async throws(AssayError) -> AssayClient {
        let key = try pathOfKey.map { (path) throws(AssayError) in try ClientKey(file: path) }
        return try await AssayClient.connect(
            to: address, credentials: try credentials(key), key: key, options: options, form: form)
    }

    private var pathOfKey: String? { keyFile ?? Self.environment("ASSAY_KEY_FILE") }

    /// Notes that others can read the file of the API key, if they can.
    func noteWhoReadsTheKey() {
        guard let path = pathOfKey, let file = UnixFile(at: path), file.kind == .file, !file.permissions.keepSecrets else {
            return
        }
        Console.note("the API key in \(path) can be read by other users: chmod 0600 \(path)")
    }

    /// Connects, runs `work`, and closes.
    func ask<T>(_ work: (AssayClient) async throws(AssayError) -> T) async throws(AssayError) -> T {
        noteWhoReadsTheKey()
        let client = try await connect(ClientOptions(retry: RetryRule(tries: retries + 1), timeout: limit))
        let result: T
        do throws(AssayError) {
            result = try await traced { () async throws(AssayError) in try await work(client) }
        } catch {
            await client.close()
            throw error
        }
        await client.close()
        return result
    }
}

extension AssayError {
    /// `EX_UNAVAILABLE` of `sysexits.h`.
    static let unavailableStatus: Int32 = 69

    /// Says on standard error why the call has no answer; throw the result.
    ///
    /// - Parameter status: `nil`: that of the code and the reason.
    func failure(_ text: String, exitStatus status: Int32? = nil) -> ExitCode {
        var failure = CommandFailure(reason, CommandFailure.isJSON ? message : text, exitStatus: status ?? exitStatus)
        (failure.code, failure.retry, failure.retryAfter) = (code.rawValue, retry.rawValue, retryAfterMilliseconds)
        failure.requestID = requestID
        return failure.shown(as: "assay: " + Console.shown(text))
    }

    /// What the caller may do next.
    fileprivate var retry: RetryClass { RetryClass(ofCallWith: code.rawValue, reason: reason) }

    /// The numbers of `sysexits.h`.
    fileprivate var exitStatus: Int32 {
        switch code {
        case .permissionDenied, .unauthenticated: 77
        case .invalidArgument, .outOfRange: 65
        case .notFound where reason == "unknown_app": 65
        case .notFound, .alreadyExists: 1
        // More of the request id or of the digest is needed.
        case .failedPrecondition where ["ambiguous_request_id", "ambiguous_policy"].contains(reason): 65
        // A list was refused: it is too old or too short. A device was not readmitted: it is blocked. A configuration was refused.
        case .failedPrecondition where ["feed_refused", "device_blocked", "reload_refused", "too_many_flags"].contains(reason):
            1
        // The upload is not complete, or has expired.
        case .failedPrecondition where ["upload_incomplete", "upload_expired"].contains(reason): 1
        case .failedPrecondition: 78
        default: Self.unavailableStatus
        }
    }
}
