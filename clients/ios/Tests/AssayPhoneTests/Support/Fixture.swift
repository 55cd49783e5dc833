import AssayPhone
import Foundation

/// A device with its parts. `again()` is the app after a start, with the same store.
struct Fixture {
    let service = VirtualService()
    let backend = ScriptedBackend()
    let store = MemoryStore()
    let sha256 = TestSHA256()
    let time = TestTiming()
    var settings = Settings()
    let device: AttestedDevice

    init(settings: Settings = Settings()) {
        self.settings = settings
        device = Self.device(service, backend, store, sha256, time, settings)
    }

    func again() -> AttestedDevice { Self.device(service, backend, store, sha256, time, settings) }

    private static func device(
        _ service: VirtualService, _ backend: ScriptedBackend, _ store: MemoryStore, _ sha256: TestSHA256, _ time: TestTiming,
        _ settings: Settings
    ) -> AttestedDevice {
        AttestedDevice(
            user: "alice", backend: backend, service: service, store: store, sha256: sha256, settings: settings,
            timing: time.timing)
    }

    var seconds: [Double] {
        time.pauses.with { $0.map { Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18 } }
    }
}

/// The error of the call; none if it succeeded.
func failure(_ call: () async throws(PhoneError) -> Void) async -> PhoneError? {
    do throws(PhoneError) {
        try await call()
        return nil
    } catch {
        return error
    }
}

/// Waits until it is so, at most a minute: the machine may be busy.
func eventually(_ condition: () async -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return await condition()
}

/// Opens once, for all who wait.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func open() {
        isOpen = true
        waiting.forEach { $0.resume() }
        waiting = []
    }

    func pass() async {
        guard !isOpen else { return }
        await withCheckedContinuation { waiting.append($0) }
    }
}
