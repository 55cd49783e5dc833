package import AssayClient
import AssayCore

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
    /// How many devices are kept.
    private static let deviceLimit = 100_000

    /// - Parameter client: of a daemon whose configuration has the policy's sections.
    package init(_ client: AssayClient, policy: CasePolicy) throws {
        (self.client, self.policy) = (client, policy)
        for (name, platform) in Self.usualDevices { devices[Self.key(name, in: "")] = try CaseDevice(platform, policy) }
    }

    /// Throws ``CaseError`` for what there is not, `AssayError` if the daemon does not answer, or `SimulatorError`.
    package func make(_ request: CaseRequest) async throws -> MadeEvidence {
        let platform = try platform(of: request)
        let found = try EvidenceCase.find(request.name, purpose: request.purpose, platform: platform)
        try check(request, found)
        guard let first = found.platforms.first, let purpose = request.purpose ?? found.purposes.first else {
            throw CaseError(.unknownCase, "the case \(request.name) has neither device nor purpose")
        }
        let ofDevice = platform ?? first
        let name = request.device ?? Self.usualDevices.first { $0.platform == ofDevice }?.name ?? "\(ofDevice.rawValue)-1"
        let key = Self.key(name, in: request.scope)
        let device = try devices[key] ?? CaseDevice(ofDevice, policy)
        guard devices.count < Self.deviceLimit || devices[key] != nil else {
            throw CaseError(.wrongDevice, "there are \(Self.deviceLimit) devices already: use their names again")
        }
        let run = CaseRun(request, purpose: purpose, device: device, client: client, policy: policy)
        // Kept after a failure too: the device has used up a counter.
        defer { devices[key] = run.device }
        let made = try await found.make(run)
        return MadeEvidence(
            device: name, platform: ofDevice, request: made.request, expected: made.expected, needs: found.needs)
    }

    private static func key(_ name: String, in scope: String) -> String { scope + "/" + name }

    /// The platform that the request names, itself or by its device; `nil`: that of the case.
    private func platform(of request: CaseRequest) throws(CaseError) -> CasePlatform? {
        guard request.scope.utf8.count <= 64, request.device.map({ (1...64).contains($0.utf8.count) }) ?? true else {
            throw CaseError(.malformedRequest, "device and scope have at most 64 bytes")
        }
        guard let name = request.device else { return request.platform }
        let known =
            devices[Self.key(name, in: request.scope)]?.platform ?? Self.usualDevices.first { $0.name == name }?.platform
        guard let known else { return request.platform }
        guard request.platform == nil || request.platform == known else {
            throw CaseError(.wrongDevice, "\(name) is a device of the platform \(known.rawValue)")
        }
        return known
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
