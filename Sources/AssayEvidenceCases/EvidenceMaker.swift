package import AssayClient
package import AssayCore

/// Makes the evidence of cases with virtual devices that it keeps in memory, and does beforehand what a case needs: registers a key, sends the
/// request that is to be replayed, blocks the device. It asks a daemon with its policy for that, as a caller that may do everything.
///
/// One at a time: use it from one task.
package final class EvidenceMaker {
    let client: AssayClient
    let policy: CasePolicy
    private var devices: [String: CaseDevice] = [:]

    /// The devices that stand ready.
    package static let usualDevices: [(name: String, platform: CasePlatform)] = [
        ("phone-1", .iPhone), ("phone-2", .iPhone), ("android-1", .android),
    ]
    /// How many devices are kept. A test that asks for more uses their names up by mistake.
    private static let deviceLimit = 100_000

    /// - Parameter client: of a daemon whose configuration has the policy's sections.
    package init(_ client: AssayClient, policy: CasePolicy) throws {
        (self.client, self.policy) = (client, policy)
        for (name, platform) in Self.usualDevices { devices[name] = try CaseDevice(platform, policy) }
    }

    /// Throws ``CaseError`` for what there is not, `AssayError` if the daemon does not answer, or `SimulatorError`.
    package func make(_ request: CaseRequest) async throws -> MadeEvidence {
        let platform = try request.device.map { try self.platform(of: $0, for: request) } ?? request.platform
        let found = try EvidenceCase.find(request.name, purpose: request.purpose, platform: platform)
        try check(request, found)
        guard let first = found.platforms.first, let purpose = request.purpose ?? found.purposes.first else {
            throw CaseError(.unknownCase, "the case \(request.name) has neither device nor purpose")
        }
        let ofDevice = platform ?? first
        let name = request.device ?? Self.usualDevices.first { $0.platform == ofDevice }?.name ?? "\(ofDevice.rawValue)-1"
        let device = try devices[name] ?? CaseDevice(ofDevice, policy)
        guard devices.count < Self.deviceLimit || devices[name] != nil else {
            throw CaseError(.wrongDevice, "there are \(Self.deviceLimit) devices already: use their names again")
        }
        let run = CaseRun(request, purpose: purpose, device: device, client: client, policy: policy)
        let made: EvidenceCase.Made
        do { made = try await found.make(run) } catch {
            // The counter that was used up before the failure.
            devices[name] = run.device
            throw error
        }
        devices[name] = run.device
        return MadeEvidence(
            device: name, platform: ofDevice, request: made.request, expected: made.expected, needs: found.needs)
    }

    private func platform(of name: String, for request: CaseRequest) throws(CaseError) -> CasePlatform? {
        guard (1...64).contains(name.utf8.count) else {
            throw CaseError(.malformedRequest, "the name of a device has 1 to 64 bytes, this has \(name.utf8.count)")
        }
        guard let device = devices[name] else { return request.platform }
        guard request.platform == nil || request.platform == device.platform else {
            throw CaseError(.wrongDevice, "\(name) is a device of the platform \(device.platform.rawValue)")
        }
        return device.platform
    }

    private func check(_ request: CaseRequest, _ found: EvidenceCase) throws(CaseError) {
        let lacking: (EvidenceCase.Need, Bool)? =
            [
                (.subject, request.subject.isEmpty), (.idempotencyKey, request.idempotencyKey.isEmpty),
                (.expectedDevice, request.expectedDevice == nil && !found.needs.contains(.wholeRequest)),
            ].first { found.needs.contains($0.0) && $0.1 }
        guard let need = lacking?.0 else { return }
        throw CaseError(
            .needsMember,
            "the case \(found.name) comes of a request with \(need.rawValue): give the one that your service sends")
    }
}
