import AssayCore
import AssaySimulator

/// A virtual device that makes one request after the other.
protocol LoadDevice: Sendable {
    /// That of its challenges; `nil`: it needs none.
    static var purpose: Purpose? { get }

    /// The next request.
    ///
    /// - Parameter challenge: a new one for the purpose; empty without one.
    mutating func request(app: AppID, challenge: [UInt8]) throws -> VerificationRequest
}

/// An iPhone whose key is registered, which uploads.
struct UploadingPhone: LoadDevice {
    static let purpose: Purpose? = .assert
    var key: VirtualKey

    mutating func request(app: AppID, challenge: [UInt8]) throws -> VerificationRequest {
        let data = try ClientData.ofLoad(.assert, challenge)
        let assertion = try key.assert(clientDataHash: data.hash)
        return .ofLoad(app, data, Evidence(format: .appAttestAssertion, keyID: key.keyID, body: assertion))
    }
}

/// An iPhone that attests a new key each time.
struct RegisteringPhone: LoadDevice {
    static let purpose: Purpose? = .register
    var phone: VirtualPhone
    /// That of the last request.
    private(set) var key: VirtualKey?

    init(phone: VirtualPhone) { self.phone = phone }

    mutating func request(app: AppID, challenge: [UInt8]) throws -> VerificationRequest {
        let key = phone.makeKey()
        self.key = key
        let data = try ClientData.ofLoad(.register, challenge)
        let attestation = try key.attest(clientDataHash: data.hash, at: SystemClock().now())
        return .ofLoad(app, data, Evidence(format: .appAttestAttestation, keyID: key.keyID, body: attestation))
    }
}

/// An Android device whose key is registered, which uploads.
struct UploadingAndroid: LoadDevice {
    static let purpose: Purpose? = .assert
    var key: AndroidKey

    mutating func request(app: AppID, challenge: [UInt8]) throws -> VerificationRequest {
        let data = try ClientData.ofLoad(.assert, challenge)
        let scheme = key.key.usualScheme
        let signature = try key.sign(data.bytes, by: scheme)
        let body = Evidence.join([[scheme.rawValue], signature])
        return .ofLoad(app, data, Evidence(format: .keySignature, keyID: key.keyID, body: body))
    }
}

/// An Android device that attests a new key each time.
struct RegisteringAndroid: LoadDevice {
    static let purpose: Purpose? = .register
    var device: VirtualAndroid
    /// That of the last request.
    private(set) var key: AndroidKey?

    init(device: VirtualAndroid) { self.device = device }

    mutating func request(app: AppID, challenge: [UInt8]) throws -> VerificationRequest {
        let key = try device.makeKey()
        self.key = key
        let data = try ClientData.ofLoad(.register, challenge)
        let chain = try key.attest(challenge: data.bytes, at: SystemClock().now())
        return .ofLoad(app, data, Evidence(format: .keyAttestation, keyID: [], body: Evidence.join(chain)))
    }
}

/// A camera with a certificate. Each image is another one: the same statement again would be a repetition.
struct SigningCamera: LoadDevice {
    static let purpose: Purpose? = nil
    let camera: VirtualCamera
    /// DER.
    let certificate: [UInt8]

    mutating func request(app: AppID, challenge: [UInt8]) throws -> VerificationRequest {
        let json = try camera.bundle(
            imageHash: SecureRandom.bytes(32), certificate: certificate, at: SystemClock().now())
        return VerificationRequest(
            app: app, purpose: .assert, challenge: [], evidence: [CertificateBundle.json(json).evidence], binding: .inEvidence)
    }
}

extension ClientData {
    /// The SHA-256 of what devices upload.
    private static let payloadHash = ClientData.payloadHash(Array("a photo of a load test".utf8))

    fileprivate static func ofLoad(_ purpose: Purpose, _ challenge: [UInt8]) throws(LoadError) -> ClientData {
        guard let data = ClientData(purpose: purpose, challenge: challenge, payloadHash: payloadHash) else {
            throw .device("the daemon's challenge has a wrong length")
        }
        return data
    }
}

extension VerificationRequest {
    fileprivate static func ofLoad(_ app: AppID, _ data: ClientData, _ evidence: Evidence) -> VerificationRequest {
        VerificationRequest(
            app: app, purpose: data.purpose, challenge: data.challenge, evidence: [evidence],
            binding: .clientData(payloadHash: data.payloadHash))
    }
}
