import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore
import Foundation
import Synchronization

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show verdicts, changes and devices that are no longer good, as they happen.",
        discussion: """
            Shows one line an event until it is stopped. Events have kinds: verdict.accepted, verdict.rejected and verdict.unjudged; change. and \
            a word of the audit log, such as change.block; device.no_longer_good. The word before the dot stands for all kinds that begin \
            with it.

            It connects again when the connection is lost or the daemon is started again, and says on standard error what it missed. The \
            caller needs the role 'operate'. Exit status 0 when it is stopped by Ctrl-C or SIGTERM.
            """)

    @OptionGroup var server: ServerOptions

    @Option(help: ArgumentHelp("Only events of this kind; may be given several times.", valueName: "kind"))
    var kind: [String] = []

    @Flag(help: "Only rejections: --kind verdict.rejected.")
    var rejected = false

    @Option(help: ArgumentHelp("Only events of this app; may be given several times.", valueName: "app"))
    var app: [AppID] = []

    @Option(help: ArgumentHelp("Only events of this caller, by its name in the configuration.", valueName: "caller"))
    var caller: [String] = []

    @Option(help: ArgumentHelp("Only events with this reason, e.g. nonce_mismatch.", valueName: "code"))
    var reason: [String] = []

    @Option(help: ArgumentHelp("Only events about this device.", valueName: "dev_…"))
    var device: DeviceID?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws {
        for kind in kind { try FilterNames.check(kind: kind) }
        for reason in reason { try FilterNames.check(reason: reason) }
    }

    private var filter: AssayClient.WatchFilter {
        var filter = AssayClient.WatchFilter()
        filter.kinds = kind + (rejected ? ["verdict.rejected"] : [])
        (filter.apps, filter.callers, filter.codes, filter.device) = (app, caller, reason, device)
        return filter
    }

    func run() async throws {
        // The first attempt fails at once, as with every command: a wrong address or role is not waited for.
        let isStopped = StopSignals()
        do {
            try await server.with { client throws(AssayError) in
                for app in app { try await client.requireApp(app, timeout: server.limit) }
                let work = Task { await follow(client) }
                isStopped.whenStopped { work.cancel() }
                if let error = await work.value { throw error }
            }
        } catch {
            guard isStopped.value else { throw error }
        }
    }

    /// Shows events until the task is cancelled, or the daemon says that it will not have the caller watch.
    private func follow(_ client: AssayClient) async -> AssayError? {
        var reader = WatchReader(filter: filter, json: json)
        var failures = 0
        while !Task.isCancelled {
            let error = await reader.read(client)
            if Task.isCancelled { return nil }
            guard reader.hasBegun, error.isTransient else { return error }
            if reader.hasRead { failures = 0 }
            failures += 1
            Console.note("\(error); connecting again")
            let pause = min(30.0, pow(2, Double(min(failures, 6)) - 1)) * Double.random(in: 0.8...1.2)
            let asked = Double(error.retryAfterMilliseconds ?? 0) / 1000
            do { try await Task.sleep(for: .seconds(max(pause, min(asked, 60)))) } catch { return nil }
        }
        return nil
    }
}

extension AssayError {
    /// Whether the stream may be begun again.
    fileprivate var isTransient: Bool {
        switch code {
        case .unavailable, .resourceExhausted, .deadlineExceeded, .aborted, .unknown: true
        default: false
        }
    }
}

/// Reads a stream of events, and remembers its place over several connections.
private struct WatchReader {
    let filter: AssayClient.WatchFilter
    let json: Bool
    /// Whether a stream was begun ever, and whether the last one was.
    private(set) var hasBegun = false
    private(set) var hasRead = false
    private var place: AssayClient.WatchPlace?

    init(filter: AssayClient.WatchFilter, json: Bool) { (self.filter, self.json) = (filter, json) }

    /// Returns the error that ended the stream.
    mutating func read(_ client: AssayClient) async -> AssayError {
        hasRead = false
        do throws(AssayError) {
            for try await item in try await client.watch(filter, from: place) { take(item) }
            return AssayError(.unavailable, "the daemon ended the stream")
        } catch {
            return error
        }
    }

    private mutating func take(_ item: Assay_V1_WatchItem) {
        switch item.item {
        case .start(let start):
            Console.note(place == nil ? "watching" : start.continuation)
            place = AssayClient.WatchPlace(stream: Array(start.streamID), after: start.nextSequence &- 1)
            (hasBegun, hasRead) = (true, true)
        case .event(let event):
            place?.after = event.sequence
            if json { Console.print(json: event.json, pretty: false) } else { Console.print(event.line) }
        case .overtaken(let overtaken):
            Console.note("\(overtaken.missed) events were missed: they came faster than they were read")
        case nil: break
        }
    }
}

extension Assay_V1_WatchStart {
    /// What was missed since the stream before, as a sentence.
    fileprivate var continuation: String {
        guard resumed else { return "watching again; the daemon does not know what was missed" }
        return missed == 0 ? "watching again; nothing was missed" : "watching again; \(missed) events were missed"
    }
}

/// Tells that the process is to stop (SIGINT, SIGTERM), in place of the signals' own effect.
private final class StopSignals: Sendable {
    private struct State {
        var isStopped = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let sources = Mutex<[any DispatchSourceSignal]>([])

    init() {
        sources.withLock { sources in
            for number in [SIGINT, SIGTERM] {
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number)
                source.setEventHandler { [weak self] in self?.stop() }
                source.resume()
                sources.append(source)
            }
        }
    }

    var value: Bool { state.withLock { $0.isStopped } }

    /// Calls `action` when the process is to stop: at once, if it is already.
    func whenStopped(_ action: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            state.action = action
            return state.isStopped
        }
        if isStopped { action() }
    }

    private func stop() {
        let action = state.withLock { state in
            state.isStopped = true
            return state.action
        }
        action?()
    }
}
