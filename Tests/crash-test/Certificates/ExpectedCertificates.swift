import AssayClient
import AssayCore
import Synchronization

/// Everything that callers were told about certificates.
final class ExpectedCertificates: Sendable {
    /// A request without an answer: it may or may not have been applied.
    struct Open: Sendable {
        let request: CertificateRequest
        let isOutOfTime: Bool
    }

    /// A bundle, and the device that signed it with its last certificate.
    struct Bundle: Sendable {
        let json: [UInt8]
        let app: AppID
        let device: [UInt8]
        /// The index of the certificate.
        let certificate: Int
        /// Submitted under a clock that was stepped: the hour for which it counts is undetermined.
        let isOutOfTime: Bool
    }

    struct State: Sendable {
        /// By device id.
        var devices: [[UInt8]: CertifiedDevice] = [:]
        var open: [Open] = []
        /// Those that were accepted.
        var bundles: [Bundle] = []
        /// Those without an answer.
        var openBundles: [Bundle] = []
        /// Serial numbers of cameras on the allow-list.
        var enrolled: Set<String> = []
        /// Accepted requests on this ledger: equal to the number of the audit log's verdict records of these apps.
        var verdicts: Int64 = 0
        /// The serial numbers of all certificates, those included that a restored backup does not have.
        var serials: Set<[UInt8]> = []
        /// The last observed revocation list.
        var list: (number: Int64, der: [UInt8])?

        var issued: [IssuedCertificate] { devices.values.flatMap(\.certificates) }
    }

    private let state = Mutex(State())

    var now: State { state.withLock { $0 } }

    func edit<Result>(_ change: (inout State) -> Result) -> Result { state.withLock { change(&$0) } }

    /// Records a certificate. Returns the device with it; `nil` if the serial number was used before.
    func received(_ certificate: IssuedCertificate, on id: [UInt8]) -> CertifiedDevice? {
        edit { state in
            guard state.serials.insert(certificate.serial).inserted else { return nil }
            var certificate = certificate
            certificate.number = state.serials.count
            var device = state.devices[id] ?? CertifiedDevice(app: certificate.request.app, id: id, certificates: [])
            device.certificates.append(certificate)
            state.devices[id] = device
            if certificate.request.isJudged { state.verdicts += 1 }
            return device
        }
    }

    /// Records a bundle that was accepted, and not as a repetition.
    func accepted(_ bundle: Bundle) {
        edit { state in
            state.bundles.append(bundle)
            if state.bundles.count > 2 * ExpectedState.memory {
                state.bundles.removeFirst(state.bundles.count - ExpectedState.memory)
            }
            state.verdicts += 1
            if bundle.isOutOfTime {
                state.devices[bundle.device]?.submissions = nil
            } else {
                state.devices[bundle.device]?.submissions? += 1
            }
        }
    }

    func end(_ device: CertifiedDevice, by kind: CertifiedDevice.Ending.Kind, isCertain: Bool) {
        edit { $0.devices[device.id]?.ending = .init(kind: kind, isCertain: isCertain) }
    }

    /// Devices for a caller of the load: usable, and without an open request.
    func devices(for caller: Int, of callers: Int, atMost limit: Int) -> [CertifiedDevice] {
        let state = now
        var busy = Set(state.openBundles.map(\.device))
        for open in state.open {
            if case .renew(let request) = open.request.call { busy.insert(request.expectedDevice?.bytes ?? []) }
        }
        let free = state.devices.values.filter { $0.isUsable && !busy.contains($0.id) }
            .sorted { $0.id.lexicographicallyPrecedes($1.id) }
        return Array(free.enumerated().lazy.filter { $0.offset % callers == caller }.map(\.element).suffix(limit))
    }
}
