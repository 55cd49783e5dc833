package import AssayConfiguration
import AssayFramedRPC
import AssayListening

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How many files the process may have open. Each connection is one.
package enum DescriptorLimit {
    /// For what is no connection: the ledger's files and their readers, event loops, listeners, and connections that are told that
    /// there are too many.
    static let rest = 512

    /// Raises the limit as far as the connections of a configuration need it and the system lets it. A sentence for the operator if
    /// that is not enough.
    package static func raise(for fixed: FixedConfiguration) -> String? {
        var limit = rlimit()
        guard getrlimit(RLIMIT_NOFILE.resource, &limit) == 0 else { return nil }
        let (limits, fronts) = (fixed.limits.connections, Set(fixed.listen.map(\.speaks)).count)
        let wanted = rlim_t((limits.maxConnections + limits.maxHandshakes) * max(1, fronts) + rest)
        if limit.rlim_cur < wanted {
            limit.rlim_cur = min(wanted, limit.rlim_max)
            guard setrlimit(RLIMIT_NOFILE.resource, &limit) == 0, limit.rlim_cur < wanted else { return nil }
            return "at most \(limit.rlim_cur) files may be open (RLIMIT_NOFILE), and limits.max_connections needs \(wanted): "
                + "some connections will have to wait until others end"
        }
        return nil
    }
}

#if canImport(Glibc)
    extension __rlimit_resource {
        var resource: __rlimit_resource_t { __rlimit_resource_t(rawValue) }
    }
#else
    extension Int32 {
        var resource: Int32 { self }
    }
#endif
