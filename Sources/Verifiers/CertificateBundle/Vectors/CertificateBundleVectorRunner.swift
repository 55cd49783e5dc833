import AssayCertificates
import AssayCore
import AssaySchemes

/// Runs `certificate-bundle` vectors: bundles of a fleet whose CAs are not Assay's own, with the fleet's registry.
struct CertificateBundleVectorRunner: VectorRunner {
    let kind = EvidenceFormat.certificateBundle.rawValue

    func judge(_ vector: Vector) throws(VectorError) -> VectorOutcome {
        let input = vector.input
        guard let bundle = try input.json("bundle") else { throw VectorError("no bundle") }
        guard let app = AppID("vector") else { throw VectorError("no app") }
        let anchors = try input.authorities()
        let fleet = FleetSecrets(tables: try input.tables(), hashKey: [UInt8](repeating: 0, count: 32))
        let verifier = CertificateBundleVerifier(
            policy: try CertificateBundlePolicy(input), authorities: DeviceAuthorities(foreign: anchors),
            lists: try input.lists(of: anchors), app: app, fleet: fleet, judges: [FleetDeviceAppraiser()])
        let devices = try input.devices(of: app, fleet, at: vector.verifyAt)
        do throws(Rejection) {
            let evidence = try verifier.bounded(CertificateBundle.json(bundle).evidence)
            let needs = try verifier.locate(evidence)
            let device = devices.first { $0.registration.keyID == needs.deviceKeyID }
            let appraisal = verifier.appraise(
                evidence,
                in: AppraisalContext(
                    binding: .inEvidence, facts: Facts(device: device, submissions: 0), now: vector.verifyAt))
            // The pipeline refuses a blocked device whatever its evidence is.
            guard appraisal.failure != nil || device?.isBlocked != true else {
                return VectorOutcome(rejection: Rejection(.deviceBlocked, "the device is blocked"))
            }
            return VectorOutcome(appraisal)
        } catch {
            return VectorOutcome(rejection: error)
        }
    }
}

extension CertificateBundlePolicy {
    fileprivate init(_ input: VectorInput) throws(VectorError) {
        let wanted = try input.section("policy", known: ["max_future_seconds", "max_age_seconds", "extension_arc"])
        self.init()
        if let text = try wanted.text("extension_arc") {
            guard let arc = FleetArc(text) else { throw VectorError("policy.extension_arc is no OBJECT IDENTIFIER") }
            self.arc = arc
        }
        if let seconds = try wanted.number("max_future_seconds", Int32.self) { maxFuture = Int64(seconds) * 1000 }
        if let seconds = try wanted.number("max_age_seconds", Int32.self) { maxAge = Int64(seconds) * 1000 }
    }
}

extension VectorInput {
    fileprivate func authorities() throws(VectorError) -> [TrustAnchor] {
        var anchors: [TrustAnchor] = []
        for pem in try texts("authorities_pem") ?? [] {
            do throws(Rejection) {
                anchors.append(try TrustAnchor(name: "authorities_pem", pem: pem, simulated: false))
            } catch {
                throw VectorError("authorities_pem: \(error)")
            }
        }
        return anchors
    }

    fileprivate func tables() throws(VectorError) -> KeyTables {
        var masters: [UInt16: [UInt8]] = [:]
        for (table, master) in try object("table_masters") ?? [:] {
            guard let number = UInt16(table), let text = master as? String, let bytes = Hex.decode(text), bytes.count == 32
            else { throw VectorError("table_masters: want 32 bytes in hexadecimal by table") }
            masters[number] = bytes
        }
        return KeyTables(masters: masters)
    }

    fileprivate func lists(of anchors: [TrustAnchor]) throws(VectorError) -> [IssuerRevocationList] {
        guard let pem = try text("crl_pem") else { return [] }
        do throws(Rejection) {
            let list = try CertificateRevocationList(file: Array(pem.utf8))
            for anchor in anchors {
                guard (try? list.verify(by: anchor)) != nil else { continue }
                return [
                    IssuerRevocationList(
                        issuer: anchor.publicKeySHA256, source: StaticList(snapshot: list.snapshot(named: "crl")))
                ]
            }
            throw Rejection(.untrustedRoot, "none of the authorities signed it")
        } catch {
            throw VectorError("crl_pem: \(error)")
        }
    }

    fileprivate func devices(of app: AppID, _ fleet: FleetSecrets, at now: Timestamp) throws(VectorError) -> [Device] {
        var devices: [Device] = []
        for member in try objects("registered") {
            guard let serial = try member.text("serial"), let secret = try member.text("secret_hex").flatMap({ Hex.decode($0) })
            else { throw VectorError("registered: a device without serial or secret_hex") }
            let registration = Registration(
                format: .fleetDevice, keyID: fleet.keyID(ofSecret: secret, app: app), publicKey: [], environment: "fleet",
                anchor: [], claims: Claims([.init(name: FleetDeviceAppraiser.serialClaim, value: .text(serial))]),
                chainSerials: [], receipt: [], simulated: false)
            devices.append(
                Device(
                    id: .random(), app: app, subject: nil, registration: registration, registeredAt: now,
                    blocks: try member.flag("blocked") == true ? [Device.Block(.device, reason: "", since: now)] : []))
        }
        return devices
    }
}

/// A list that does not change.
private struct StaticList: RevocationSource {
    let snapshot: RevocationSnapshot
    func knowledge(at now: Timestamp) -> RevocationKnowledge { .snapshot(snapshot) }
}
