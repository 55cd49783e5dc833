import AssayAPI
import AssayClient
import AssayCore
import Synchronization

/// Asks for verdicts on what virtual devices made. Each device has its next request ready, over a challenge that was fetched ahead, and has
/// one call at a time, as a phone has: its counters arrive in order.
final class VerifyOperation<Device: LoadDevice>: LoadOperation {
    fileprivate typealias Instant = ContinuousClock.Instant

    fileprivate struct Ready: Sendable {
        let device: Device
        let request: VerificationRequest
        /// After it the challenge is too old, or soon will be.
        let until: Instant
    }

    fileprivate struct State {
        /// In the order in which they were made; those before `first` are taken.
        var ready: [Ready] = []
        var first = 0
        /// Ids of the devices that calls registered.
        var registered: [DeviceID] = []
    }

    /// Devices that fetch a challenge at a time.
    private static var atOnce: Int { 64 }
    /// The lifetime of a request without a challenge.
    private static var lifetime: Duration { .seconds(60) }
    /// Until a device tries again whose challenge failed.
    private static var pause: Duration { .milliseconds(500) }
    private static var sweepInterval: Duration { .seconds(1) }

    let name: String
    private let app: AppID
    private let clients: LoadClients
    private let challenges: PreparedChallenges
    private let state = Mutex(State())
    /// Devices that need their next request.
    private let used: AsyncStream<Device>
    private let use: AsyncStream<Device>.Continuation

    init(_ kind: LoadKind, app: AppID, clients: LoadClients, challenges: PreparedChallenges) {
        (name, self.app, self.clients, self.challenges) = (kind.rawValue, app, clients, challenges)
        (used, use) = AsyncStream.makeStream()
    }

    /// The devices that were registered by calls of the load.
    var registered: [DeviceID] { state.withLock { $0.registered } }

    // MARK: Sending

    func next() -> LoadCall? {
        guard let ready = takeReady() else { return nil }
        let (client, timeout) = (clients.next, clients.timeout)
        return { [self] in
            defer { use.yield(ready.device) }
            do throws(AssayError) {
                let verdict = try await client.verify(ready.request, timeout: timeout)
                guard verdict.decision == .accepted else {
                    return CallAnswer("rejected: \(verdict.reason)", isExpected: false)
                }
                if Device.purpose == .register, let id = DeviceID(bytes: Array(verdict.deviceID)) {
                    state.withLock { $0.registered.append(id) }
                }
                return CallAnswer("accepted", isExpected: true)
            } catch {
                return CallAnswer(error)
            }
        }
    }

    private func takeReady() -> Ready? {
        let now = Instant.now
        let (ready, old) = state.withLock { state -> (Ready?, [Device]) in
            let old = state.takeOld(at: now)
            return (state.take(), old)
        }
        for device in old { use.yield(device) }
        return ready
    }

    // MARK: Preparing

    /// Lets all devices make their first request.
    ///
    /// - Parameter progress: gets how many have.
    func fill(_ devices: [Device], progress: (Int) -> Void) async throws {
        _ = try await Concurrently.map(devices, atOnce: Self.atOnce, progress: progress) { try await self.prepare($0) }
    }

    func keepReady() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.sweep() }
            var running = 0
            for await device in used {
                // The task that sweeps ends with this one.
                if running == Self.atOnce {
                    await group.next()
                    running -= 1
                }
                running += 1
                group.addTask { await self.prepareAgain(device) }
            }
        }
    }

    /// Lets requests be made again that nothing sent before they became too old.
    private func sweep() async {
        while (try? await Task.sleep(for: Self.sweepInterval)) != nil {
            let now = Instant.now
            for device in state.withLock({ $0.takeOld(at: now) }) { use.yield(device) }
        }
    }

    private func prepareAgain(_ device: Device) async {
        do { try await prepare(device) } catch {
            guard !Task.isCancelled else { return }
            challenges.fail((error as? AssayError).map { CallAnswer($0).word } ?? "\(error)")
            try? await Task.sleep(for: Self.pause)
            use.yield(device)
        }
    }

    private func prepare(_ device: Device) async throws {
        var (device, challenge) = (device, [UInt8]())
        var until = Instant.now + Self.lifetime
        if let purpose = Device.purpose {
            let begin = Instant.now
            let issued = try await clients.next.issueChallenge(app: app, purpose: purpose, timeout: clients.timeout)
            let now = Instant.now
            challenges.record(now - begin)
            let lifetime = issued.expiry.unixMilliseconds - SystemClock().now().unixMilliseconds
            // The rest is for the call, and for a clock that differs a little from the daemon's.
            until = now + .milliseconds(max(0, lifetime)) * 0.8
            challenge = issued.bytes
        }
        let request = try device.request(app: app, challenge: challenge)
        let ready = Ready(device: device, request: request, until: until)
        state.withLock { $0.ready.append(ready) }
    }
}

extension VerifyOperation.State {
    fileprivate mutating func take() -> VerifyOperation.Ready? {
        guard first < ready.count else { return nil }
        defer { drop() }
        return ready[first]
    }

    /// The devices at the front whose requests are too old.
    fileprivate mutating func takeOld(at now: ContinuousClock.Instant) -> [Device] {
        var old: [Device] = []
        while first < ready.count, ready[first].until <= now {
            old.append(ready[first].device)
            drop()
        }
        return old
    }

    private mutating func drop() {
        first += 1
        guard first == ready.count || first >= 4096 else { return }
        ready.removeFirst(first)
        first = 0
    }
}
