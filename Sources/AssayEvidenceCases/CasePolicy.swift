package import AssayCore
import AssayEncoding
import AssaySimulator

/// The policy by which the cases have their outcomes, as sections of a configuration: strict enough that each reason can be caused, and met by
/// the virtual devices as they are.
package struct CasePolicy: Sendable {
    /// How many devices a subject may register.
    static let devicesOfSubject = 50
    /// How many devices one attestation key may register in 24 hours.
    static let devicesOfAttestationKey = 10
    static let flag = "test_rejected"
    static let appID = "TEAMID1234.com.example.photos"
    static let macAppID = "TEAMID1234.com.example.photos.mac"
    static let package = "com.example.photos"
    /// SHA-256 of the certificate that is said to sign the package.
    static let signer = ClientData.payloadHash(Array("the certificate that signs the app".utf8))
    static let deniedBootKey = [UInt8](repeating: 0xDB, count: 32)
    /// The serial number of a certificate on the app's own list.
    static let deniedSerial: [UInt8] = [0x5E, 0x1A] + [UInt8](repeating: 0xD0, count: 14)
    static let brand = "example"

    package let app: AppID
    let apple: TestAuthority
    let google: AndroidAuthority
    let console: PlayConsole

    package init(app: AppID) {
        self.app = app
        (apple, google, console) = (TestAuthority(), AndroidAuthority(), PlayConsole())
    }

    /// The files that ``sections`` name, by their names, with the modes that the daemon asks for.
    package func files() throws -> [(name: String, text: String, mode: Int)] {
        [
            ("apple-root.pem", apple.rootPEM, 0o644), ("android-root.pem", try google.pem(.p384), 0o644),
            ("play-decryption.key", Base64.standard.encode(console.decryptionKey) + "\n", 0o600),
            ("play-verification.key", Base64.standard.encode(console.verificationKey) + "\n", 0o600),
        ]
    }

    /// The sections `trust` and `apps`.
    package var sections: String {
        """
        trust:
          test_roots: [apple-root.pem, android-root.pem]
        apps:
          \(app.text):
            accept_simulated: true
            max_devices_per_subject: \(Self.devicesOfSubject)
            device: {flags: {reject: [\(Self.flag)]}}
            app_attest:
              identities:
                - app_id: \(Self.appID)
                - app_id: \(Self.macAppID)
                  platform: macos
              validation_categories: [4, 6]
              bundle_versions: ["1"]
              receipt: {mode: require}
            android:
              packages:
                - name: \(Self.package)
                  signers: [\(Hex.encode(Self.signer))]
                  min_version: 2
              revocation: {source: none}
              security_level: strongbox
              verified_boot: {denied_keys: [\(Hex.encode(Self.deniedBootKey))]}
              min_os_version: 130000
              patch_levels: {os: 202401, months_ahead: 24}
              key: {kinds: [ec_p256], properties: [unlocked_device]}
              remote_key_provisioning:
                require_remote: true
                max_certificates: 100
                remote_key_per_day: \(Self.devicesOfAttestationKey)
                overuse: reject
              attested_ids: {brand: [\(Self.brand)]}
              creation_window: 1h
              require_tag_order: true
              require_equal_versions: true
              denied: {serials: ["\(Hex.encode(Self.deniedSerial))"]}
            play_integrity:
              packages: [\(Self.package)]
              signers: [\(Hex.encode(Self.signer))]
              keys:
                - decryption_key_file: play-decryption.key
                  verification_key_file: play-verification.key
              min_version_code: 42
              min_sdk_version: 33
              signals:
                licensing: {UNLICENSED: fail, UNEVALUATED: fail}
                play_protect: {HIGH_RISK: fail}
                app_access_risk: {UNKNOWN_CAPTURING: fail}
                device_activity: {LEVEL_4: fail}
                device_recall: {bitFirst: fail}
                account_activity: {UNUSUAL: fail}

        """
    }
}

// MARK: Devices that meet it

extension CasePolicy {
    /// A new iPhone or Mac.
    func phone(_ platform: CasePlatform = .iPhone, edit: (inout VirtualPhone) -> Void = { _ in }) -> VirtualPhone {
        let isMac = platform == .mac
        var phone = VirtualPhone(
            authority: apple, appID: isMac ? Self.macAppID : Self.appID, platform: isMac ? .macOS : .iOS)
        edit(&phone)
        return phone
    }

    /// A new Android device, whose attestation key no other has.
    func android(
        level: VirtualAndroid.Level = .strongBox, provisioning: VirtualAndroid.Provisioning = .remote,
        edit: (inout VirtualAndroid) -> Void = { _ in }
    ) -> VirtualAndroid {
        var device = VirtualAndroid(
            authority: google, application: AttestedApplicationDraft(Self.package, version: 2, signer: Self.signer),
            level: level, provisioning: provisioning)
        device.identifiers[.brand] = Self.brand
        edit(&device)
        return device
    }

    /// What the app asks of its keys when it makes them.
    static let genuineKey = KeyAttestationChanges.genuine.description { $0.hardware.set(.unlockedDeviceRequired) }

    /// Google's statement about the genuine app on a certified device.
    static func verdict(nonce: [UInt8], at now: Timestamp) -> JSONDraft {
        var payload = JSONDraft.playPayload(package: package, signer: signer, nonce: nonce, at: now)
        payload["deviceIntegrity", "deviceAttributes", "sdkVersion"] = .integer(35)
        return payload
    }
}
