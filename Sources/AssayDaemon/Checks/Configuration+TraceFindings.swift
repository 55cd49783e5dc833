import AssayConfiguration
import AssayCore
import AssaySchemes
import AssayTraceExport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Configuration {
    /// Whether the collector of traces takes a connection. Only the command tries it: the daemon's start does not wait for a collector.
    ///
    /// - Parameter milliseconds: how long the collector may take to take the connection.
    func traceFindings(within milliseconds: Int32 = 3000) -> [ConfigurationFinding] {
        guard let endpoint = live.traces?.endpoint else { return [] }
        let why: String?
        switch HostLookup.all([endpoint.host])[endpoint.host] {
        case .found(let address): why = address.connectProblem(port: endpoint.port, within: milliseconds)
        case .unknown(let text): why = "the host is not known here: \(text)"
        case .unanswered, nil: why = "no name service says in \(DurationText.exact(Int64(HostLookup.limit))) what the host is"
        }
        return why.map {
            [
                finding(
                    .tracesUnreachable, at: "traces.endpoint",
                    "\(endpoint.host) port \(endpoint.port) takes no connection: \($0); verdicts are given, and traces are dropped"
                )
            ]
        } ?? []
    }
}

extension HostAddress {
    /// Connects, and closes the connection.
    ///
    /// - Returns: what the system says against it; `nil`: nothing.
    fileprivate func connectProblem(port: Int, within milliseconds: Int32) -> String? {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { return Self.words(errno) }
        defer { close(descriptor) }
        let status = withSocketAddress(port: port) { connect(descriptor, $0, $1) } ?? -1
        if status == 0 { return nil }
        guard errno == EINPROGRESS else { return Self.words(errno) }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&waiting, 1, milliseconds) == 1 else { return "no answer in \(DurationText.exact(Int64(milliseconds)))" }
        var (problem, size): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &problem, &size)
        return problem == 0 ? nil : Self.words(problem)
    }

    private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}
