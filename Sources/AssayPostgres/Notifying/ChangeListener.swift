import AssayCore
import AssayLedger
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The listening thread: removes records from the cache that other daemons have changed.
///
/// Nothing is wrong without it, only older: a commit reads again what decides it, and no record is used longer than
/// `PostgresOptions.cacheLifetime`. So failures are not told, and a server without notifications is asked again from time to time.
final class ChangeListener: Sendable {
    private let settings: PostgresSettings
    private let server: ServerCheck
    private let cache: DeviceCache
    private let pause: UInt64
    private let pipe: WakePipe
    private let isClosed = Atomic(false)
    private let listens = Atomic(false)

    init(
        _ settings: PostgresSettings, _ options: PostgresOptions, _ server: ServerCheck, _ cache: DeviceCache
    ) throws(LedgerError) {
        (self.settings, self.server, self.cache) = (settings, server, cache)
        pause = options.pauseBetweenConnects
        pipe = try WakePipe()
    }

    /// Whether notifications arrive.
    var isListening: Bool { listens.load(ordering: .relaxed) }

    /// Ends `run`.
    func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        pipe.wake()
    }

    /// The longest time between two attempts to connect, as a multiple of the first.
    private static let longestPause: UInt64 = 60

    /// The body of the thread.
    func run() {
        var failures: UInt64 = 0
        while !isClosed.load(ordering: .sequentiallyConsistent) {
            do throws(PostgresError) {
                let connection = try server.connect()
                guard connection.engine.notifies else { return }
                _ = try connection.query(
                    .once("LISTEN \"\(ChangeNotification.channel(settings))\""), within: settings.readTimeout)
                // What was changed before was not heard of.
                cache.clear()
                listens.store(true, ordering: .relaxed)
                failures = 0
                try follow(connection)
            } catch {
                failures = min(failures + 1, Self.longestPause)
            }
            listens.store(false, ordering: .relaxed)
            wait(Int32(clamping: pause * failures / 1_000_000))
        }
    }

    /// How long nothing may come, in milliseconds, before the connection is tried.
    private static let silence: Int32 = 15_000

    /// Until the connection or the ledger ends.
    private func follow(_ connection: PostgresConnection) throws(PostgresError) {
        while !isClosed.load(ordering: .sequentiallyConsistent) {
            let payloads = try connection.notifications(orReadable: pipe.readable, within: Self.silence)
            for payload in payloads {
                guard let devices = ChangeNotification.devices(in: payload) else {
                    cache.clear()
                    continue
                }
                cache.publish(devices.map(DeviceChange.unclear), othersWrote: false)
            }
            if payloads.isEmpty { _ = try connection.query(.once("SELECT 1"), within: settings.readTimeout) }
        }
    }

    private func wait(_ milliseconds: Int32) {
        var waited = pollfd(fd: pipe.readable, events: Int16(POLLIN), revents: 0)
        _ = poll(&waited, 1, milliseconds)
    }
}
