import AssayCore
import Crypto
import Synchronization

/// What the host of an examined plugin knows: devices, used tokens, a fleet, anchors. The world of one case.
package struct ExaminationWorld: Sendable {
    /// By key id.
    let devices: [[UInt8]: Device]
    /// Digests of tokens.
    let used: Set<[UInt8]>
    let anchors: [[UInt8]]
    /// `nil`: the app has no fleet.
    let fleet: Fleet?

    struct Fleet: Sendable {
        let tables: KeyTables
        /// By secret.
        let devices: [[UInt8]: PluginFleetDevice]
    }

    static let empty = ExaminationWorld()

    private init() { (devices, used, anchors, fleet) = ([:], [], [], nil) }

    init(_ reader: CaseReader?, plugin: String, format: EvidenceFormat, app: AppID) throws(CaseError) {
        guard let reader else {
            self = .empty
            return
        }
        func digest(_ tag: String, _ value: [UInt8]) -> [UInt8] {
            PluginScope.digest(tag, plugin: plugin, format: format, value)
        }
        var devices: [[UInt8]: Device] = [:]
        for known in try reader.sections("devices") {
            let keyID = digest(PluginScope.deviceTag, try known.base64("subject_key_b64"))
            devices[keyID] = try Device(known, keyID: keyID, format: format, app: app)
        }
        var used: Set<[UInt8]> = []
        for token in try reader.base64List("used_tokens_b64") { used.insert(digest(PluginScope.tokenTag, token)) }
        (self.devices, self.used) = (devices, used)
        anchors = try reader.base64List("anchors_b64")
        fleet = try reader.section("fleet").map { (fleet) throws(CaseError) in try Fleet(fleet) }
    }
}

extension ExaminationWorld {
    /// Why a commit refuses what an accepted appraisal uses up and changes; `nil` if it does not.
    func refusal(of appraisal: Appraisal, _ device: Device?, in app: AppID) -> (Rejection, check: String)? {
        let used = Set(used.map { EvidenceUse.token(app: app, digest: $0) })
        for use in appraisal.uses where used.contains(use.token) {
            if case .rejected(let rejection) = use.repetition { return (rejection, "use") }
        }
        switch appraisal.effect {
        case .register(let registration) where devices[registration.keyID] != nil:
            return (ReasonCode.keyAlreadyRegistered.rejection, "commit")
        case .advance(_, let counter, let rule):
            guard let device else { return nil }
            do throws(Rejection) {
                _ = try CounterState(counter: device.counter, window: device.counterWindow).advanced(to: counter, rule: rule)
                return nil
            } catch { return (error, "commit") }
        default: return nil
        }
    }
}

extension Device {
    fileprivate init(_ reader: CaseReader, keyID: [UInt8], format: EvidenceFormat, app: AppID) throws(CaseError) {
        guard let id = DeviceID(bytes: try reader.base64("id_b64")) else { throw reader.problem("id_b64", "has not 16 bytes") }
        guard let counter = UInt32(exactly: try reader.optionalInteger("counter") ?? 0) else {
            throw reader.problem("counter", "is no counter")
        }
        let registration = Registration(
            format: format, keyID: keyID, publicKey: try reader.optionalBase64("public_key_b64") ?? [],
            environment: "production",
            anchor: [], claims: Claims(), chainSerials: [], receipt: [], simulated: false)
        self.init(
            id: id, app: app, subject: nil, registration: registration,
            registeredAt: Timestamp(unixMilliseconds: try reader.optionalInteger("registered_at_unix_ms") ?? 0),
            blocks: reader.object["blocked".utf8] == .boolean(true)
                ? [Block(.device, reason: "", since: Timestamp(unixMilliseconds: 0))] : [],
            counter: counter)
    }
}

extension ExaminationWorld.Fleet {
    fileprivate init(_ reader: CaseReader) throws(CaseError) {
        var masters: [UInt16: [UInt8]] = [:]
        if let section = try reader.section("masters") {
            for member in section.object.members {
                let name = String(decoding: member.name, as: UTF8.self)
                guard let table = UInt16(name), table < KeyTables.tableCount else {
                    throw section.problem(name, "is no number of a key table")
                }
                masters[table] = try section.hex(name)
            }
        }
        tables = KeyTables(masters: masters)
        var devices: [[UInt8]: PluginFleetDevice] = [:]
        for known in try reader.sections("devices") {
            devices[try known.hex("secret_hex")] = try PluginFleetDevice(known)
        }
        self.devices = devices
    }
}

extension PluginFleetDevice {
    fileprivate init(_ reader: CaseReader) throws(CaseError) {
        guard let id = DeviceID(bytes: try reader.base64("id_b64")) else { throw reader.problem("id_b64", "has not 16 bytes") }
        var tables: [UInt16] = []
        for value in try reader.list("tables") {
            guard case .number(let digits) = value, let table = UInt16(String(decoding: digits, as: UTF8.self)) else {
                throw reader.problem("tables", "has what is no number of a table")
            }
            tables.append(table)
        }
        self.init(
            id: id, serial: Array(try reader.text("serial").utf8),
            family: reader.object["family".utf8] == nil ? "" : try reader.text("family"), tables: tables,
            publicKey: try reader.base64("public_key_b64"), isBlocked: reader.object["blocked".utf8] == .boolean(true))
    }
}

/// The services of the host, over the world of a case.
final class ExaminationHost: PluginHost {
    private let world: Mutex<ExaminationWorld>
    private let lines = Atomic(0)
    let measures = PluginMeasures()

    init(_ world: ExaminationWorld = .empty) { self.world = Mutex(world) }

    /// Lines that the plugin wrote or logged.
    var lineCount: Int { lines.load(ordering: .relaxed) }

    /// The world of the next call. Calls of other worlds are not in flight then.
    func set(_ next: ExaminationWorld) { world.withLock { $0 = next } }

    private var current: ExaminationWorld { world.withLock { $0 } }

    func log(_ level: PluginLogLevel, _ message: String, _ fields: [(name: String, value: String)]) {
        lines.add(1, ordering: .relaxed)
    }

    func device(keyID: [UInt8], in call: PluginCall) -> Device? { current.devices[keyID].flatMap { $0.isBlocked ? nil : $0 } }
    func areUsed(_ digests: [[UInt8]], in call: PluginCall) -> [Bool] {
        let used = current.used
        return digests.map { used.contains($0) }
    }
    func anchors() -> [[UInt8]] { current.anchors }
    func fleetDevice(secret: [UInt8], in call: PluginCall) throws -> PluginFleetDevice? { try fleet().devices[secret] }
    func fleetKey(table: UInt16, index: UInt16, in call: PluginCall) throws -> [UInt8]? {
        try fleet().tables.key(table: table, index: index)?.withUnsafeBytes { Array($0) }
    }

    /// No device is registered while verdicts are observed.
    func flag(_ device: DeviceID, of app: AppID, _ flag: PluginFlag) -> DeviceFlagOutcome? { nil }

    private func fleet() throws -> ExaminationWorld.Fleet {
        guard let fleet = current.fleet else { throw NoFleet() }
        return fleet
    }
}
