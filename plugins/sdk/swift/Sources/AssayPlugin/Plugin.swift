/// A plugin of Assay. The type is the program: `@main struct MyVerifier: Plugin { … }`.
///
/// One thread serves one call after the other, so a plugin may keep what it likes between calls. What it keeps must not change a
/// verdict: the same request has the same answer for as long as the host's answers are the same.
///
/// An error that a method throws means that the call could not be made, and is answered with a status, never with a verdict: a
/// `Fault` says which; an error of another type is INTERNAL. A `Refusal` says that what came from outside cannot be read.
public protocol Plugin {
    /// What the plugin is and can do. It never depends on a configuration.
    static var description: PluginDescription { get }

    /// Reads a configuration. It serves Validate and Configure, so that they cannot disagree, and may run more than once.
    ///
    /// The readers of `Setting` report each problem and return a stand-in, so that all problems come at once; with a problem the
    /// value is thrown away. It asks nothing outside.
    init(configuration: Setting) throws

    /// Judges evidence: the checks in order, the cheap ones first, then what follows from authentic evidence.
    mutating func appraise(_ evidence: Evidence, _ appraisal: inout Appraisal, host: Host) throws

    /// For formats that locate: the subject key of the device that the evidence names, as it was registered; `nil` if it names
    /// none. Quick, and asks nothing.
    mutating func locate(_ request: LocateRequest) throws -> [UInt8]?

    /// For formats that prepare: what a device needs before it can make evidence.
    mutating func prepare(_ request: PrepareRequest, host: Host) throws -> Prepared

    /// For plugins that observe: verdicts that were given, in order. `dropped` counts events that are missing since the call
    /// before, because the plugin was too slow.
    mutating func observe(_ events: [VerdictEvent], dropped: UInt64, host: Host) throws

    /// Why the plugin cannot work, as a sentence; `nil` if it can. Called while the daemon has nothing else for it.
    mutating func health() -> String?
}

extension Plugin {
    public mutating func appraise(_ evidence: Evidence, _ appraisal: inout Appraisal, host: Host) throws {
        throw Fault.notImplemented("appraise")
    }

    public mutating func locate(_ request: LocateRequest) throws -> [UInt8]? {
        throw Fault.notImplemented("locate")
    }

    public mutating func prepare(_ request: PrepareRequest, host: Host) throws -> Prepared {
        throw Fault.notImplemented("prepare")
    }

    public mutating func observe(_ events: [VerdictEvent], dropped: UInt64, host: Host) throws {
        throw Fault.notImplemented("observe")
    }

    public mutating func health() -> String? { nil }

    /// Serves the daemon until it ends the connection, and ends the process: 0 after the end of the connection, 1 after an error
    /// with a sentence on stderr, 64 when the plugin is started by hand.
    public static func main() {
        System.exit(PluginProcess.run(Self.self))
    }
}
