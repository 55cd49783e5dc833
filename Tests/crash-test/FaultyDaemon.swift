import ArgumentParser
import AssayConfiguration
import AssayCore
import AssayDaemon
import AssaySQLite
import AssayService
import CFaultVFS
import CSQLite
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// The daemon as `assayd` composes it, on a disk that fails and a clock that steps when a line on standard input says so. It
/// ends at the end of its standard input. It confirms each command with a line.
struct FaultyDaemon: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faulty-daemon", abstract: "The daemon under test, with faults.", shouldDisplay: false)

    /// The commands.
    enum Command: Hashable, Sendable {
        /// fsync fails.
        case failSyncs
        /// Writes fail with SQLITE_FULL.
        case fullDisk
        /// Every write fails.
        case readOnly
        /// The disk works.
        case heal
        /// The clock is this many milliseconds ahead of the machine's; negative: behind.
        case clock(Int64)

        var line: String {
            switch self {
            case .failSyncs: "syncs"
            case .fullDisk: "full"
            case .readOnly: "read-only"
            case .heal: "heal"
            case .clock(let offset): "clock \(offset)"
            }
        }

        init?(line: String) {
            for simple in [Command.failSyncs, .fullDisk, .readOnly, .heal] where simple.line == line {
                self = simple
                return
            }
            let words = line.split(separator: " ")
            guard words.count == 2, words[0] == "clock", let offset = Int64(words[1]) else { return nil }
            self = .clock(offset)
        }
    }

    private static let vfs = "faulty-daemon"

    @Option var config: String

    func run() async throws {
        guard let faults = fault_vfs_create(Self.vfs) else { throw Trouble("there is no memory for a file system") }
        var logger = Logger(label: "faulty-daemon") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        let settings = try Configuration.load(config)
        var options = LedgerOptions()
        options.vfs = Self.vfs
        let ledger = try SQLiteLedger.open(path: settings.fixed.store.name, options: options)
        let isNew = try await ledger.secrets().isEmpty
        let vault = SecretVault(key: try KeyFile.open(settings.fixed.store.keyFile, mayCreate: isNew))
        let clock = SteppedClock()
        let daemon = try await makeDaemon(settings, ledger: ledger, vault: vault, clock: clock, logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: daemon.services, logger: logger))
        nonisolated(unsafe) let disk = faults
        Thread.detachNewThread {
            while let line = readLine() {
                guard let command = Command(line: line) else { _exit(64) }
                Self.obey(command, disk, clock)
                try? FileHandle.standardOutput.write(contentsOf: Data("done\n".utf8))
            }
            _exit(0)
        }
        try await group.run()
        ledger.close()
    }

    private static func obey(_ command: Command, _ disk: OpaquePointer, _ clock: SteppedClock) {
        let all = Int32(FAULT_ALL)
        switch command {
        case .failSyncs: fault_vfs_fail_syncs(disk, all, SQLITE_IOERR | 4 << 8)
        case .fullDisk: fault_vfs_set_space(disk, 0)
        case .readOnly: fault_vfs_set_read_only(disk, 1)
        case .heal:
            fault_vfs_fail_syncs(disk, all, 0)
            fault_vfs_set_space(disk, -1)
            fault_vfs_set_read_only(disk, 0)
        case .clock(let offset): clock.step(to: offset)
        }
    }
}

/// The machine's clock with an offset.
private final class SteppedClock: WallClock {
    private let offset = Mutex<Int64>(0)

    func now() -> Timestamp { SystemClock().now().adding(milliseconds: offset.withLock { $0 }) }
    func step(to milliseconds: Int64) { offset.withLock { $0 = milliseconds } }
}
