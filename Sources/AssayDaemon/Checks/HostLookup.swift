import AssayConfiguration
import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the system makes of the name of a host.
enum HostLookup: Hashable, Sendable {
    /// The first of its addresses, which is the one that a listener is bound to.
    case found(HostAddress)
    /// Why there is none, as the system says it.
    case unknown(String)
    /// The system has not answered in time.
    case unanswered

    /// How long all names together may take, in milliseconds.
    static let limit = 3000

    /// Looks up each host, all at once. A name service can take minutes; what has not come in time is left to itself.
    ///
    /// - Parameter resolve: blocks until there is an answer.
    static func all(
        _ hosts: some Sequence<String>, within milliseconds: Int = limit,
        by resolve: @escaping @Sendable (String) -> HostLookup = { system($0) }
    ) -> [String: HostLookup] {
        let answers = Answers()
        let names = Set(hosts)
        let deadline = DispatchTime.now() + .milliseconds(milliseconds)
        for name in names {
            // What is numeric asks no service.
            if case .found(let address) = system(name, numericOnly: true) {
                answers.add(.found(address), of: name)
            } else {
                Thread.detachNewThread { answers.add(resolve(name), of: name) }
            }
        }
        for _ in names where answers.came.wait(timeout: deadline) == .timedOut { break }
        let found = answers.list.withLock { $0 }
        return Dictionary(uniqueKeysWithValues: names.map { ($0, found[$0] ?? .unanswered) })
    }

    /// Asks the system as SwiftNIO does when a listener is bound.
    static func system(_ host: String, numericOnly: Bool = false) -> HostLookup {
        var hints = addrinfo()
        if numericOnly { hints.ai_flags = AI_NUMERICHOST }
        var list: UnsafeMutablePointer<addrinfo>?
        // With a port, as SwiftNIO asks: without one some names have no address, such as "*".
        let status = getaddrinfo(host, "0", &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0 else { return .unknown(String(cString: gai_strerror(status))) }
        guard let first = list?.pointee.ai_addr, let address = HostAddress(first) else {
            return .unknown("no address of IPv4 or IPv6")
        }
        return .found(address)
    }

    private final class Answers: Sendable {
        let list = Mutex<[String: HostLookup]>([:])
        let came = DispatchSemaphore(value: 0)

        func add(_ answer: HostLookup, of name: String) {
            list.withLock { $0[name] = answer }
            came.signal()
        }
    }
}
