#if canImport(DeviceCheck)
    import DeviceCheck
    public import Foundation

    /// Apple's service.
    ///
    /// It asks for `DCAppAttestService.shared` in each call and keeps no reference: whether that class is `Sendable` does not matter
    /// then, and Apple's class needs no conformance from here.
    public struct DeviceCheckService: AppAttestService {
        public init() {}

        public var isSupported: Bool { DCAppAttestService.shared.isSupported }

        public func generateKey() async throws(AppAttestError) -> String {
            do {
                return try await DCAppAttestService.shared.generateKey()
            } catch {
                throw AppAttestError(error)
            }
        }

        public func attestKey(_ keyID: String, clientDataHash: Data) async throws(AppAttestError) -> Data {
            do {
                return try await DCAppAttestService.shared.attestKey(keyID, clientDataHash: clientDataHash)
            } catch {
                throw AppAttestError(error)
            }
        }

        public func generateAssertion(_ keyID: String, clientDataHash: Data) async throws(AppAttestError) -> Data {
            do {
                return try await DCAppAttestService.shared.generateAssertion(keyID, clientDataHash: clientDataHash)
            } catch {
                throw AppAttestError(error)
            }
        }
    }

    extension AppAttestError {
        init(_ error: any Error) {
            switch (error as? DCError)?.code {
            case .featureUnsupported: self = .featureUnsupported
            case .invalidInput: self = .invalidInput
            case .invalidKey: self = .invalidKey
            case .serverUnavailable: self = .serverUnavailable
            default: self = .unknownSystemFailure
            }
        }
    }
#endif
