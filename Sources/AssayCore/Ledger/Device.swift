/// A device record: one attested key of one app. A reinstalled app on the same phone registers another record.
///
/// Copies share what does not change as the device is used: a record is long, and goes through all stages of a verdict.
public struct Device: Sendable {
    @usableFromInline
    struct Fields: Hashable, Sendable {
        @usableFromInline let id: DeviceID
        @usableFromInline let app: AppID
        @usableFromInline let subject: [UInt8]?
        @usableFromInline let registration: Registration
        @usableFromInline let registeredAt: Timestamp
        @usableFromInline var blocks: [Block]
        @usableFromInline var exchange: ReceiptExchange
        @usableFromInline var flags: [DeviceFlag]
    }

    @usableFromInline
    final class Record: Sendable {
        @usableFromInline let fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }

    @usableFromInline private(set) var record: Record
    /// The highest accepted counter.
    public var counter: UInt32
    /// Which of the 64 values up to `counter` were accepted: bit 0 is `counter`, bit n is `counter - n`. Kept for apps with a window.
    public var counterWindow: UInt64
    /// The time of the last accepted evidence.
    public var lastAcceptedAt: Timestamp

    public init(
        id: DeviceID, app: AppID, subject: [UInt8]?, registration: Registration, registeredAt: Timestamp, blocks: [Block] = [],
        counter: UInt32 = 0, counterWindow: UInt64 = 1, lastAcceptedAt: Timestamp? = nil,
        exchange: ReceiptExchange? = nil, flags: [DeviceFlag] = []
    ) {
        record = Record(
            Fields(
                id: id, app: app, subject: subject, registration: registration, registeredAt: registeredAt, blocks: blocks,
                exchange: exchange ?? ReceiptExchange(of: registration, at: registeredAt), flags: flags))
        self.counter = counter
        self.counterWindow = counterWindow
        self.lastAcceptedAt = lastAcceptedAt ?? registeredAt
    }

    @inlinable public var id: DeviceID { record.fields.id }
    @inlinable public var app: AppID { record.fields.app }
    /// The keyed hash of the caller's subject, 32 bytes; `nil` if the request named none.
    @inlinable public var subject: [UInt8]? { record.fields.subject }
    @inlinable public var registration: Registration { record.fields.registration }
    @inlinable public var registeredAt: Timestamp { record.fields.registeredAt }

    /// The blocks that apply: of the device, of its subject, of its key, in this order.
    public var blocks: [Block] {
        @inlinable get { record.fields.blocks }
        set { change { $0.blocks = newValue } }
    }

    /// The state of the exchange of its receipt.
    public var exchange: ReceiptExchange {
        @inlinable get { record.fields.exchange }
        set { change { $0.exchange = newValue } }
    }

    /// The flags that were set on it and not cleared: among them may be some that do not stand any more.
    public var flags: [DeviceFlag] {
        @inlinable get { record.fields.flags }
        set { change { $0.flags = newValue } }
    }

    private mutating func change(_ body: (inout Fields) -> Void) {
        var fields = record.fields
        body(&fields)
        record = Record(fields)
    }
}

extension Device: Hashable {
    public static func == (a: Device, b: Device) -> Bool {
        a.counter == b.counter && a.counterWindow == b.counterWindow && a.lastAcceptedAt == b.lastAcceptedAt
            && (a.record === b.record || a.record.fields == b.record.fields)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(counter)
    }
}

extension Device {
    /// The app and key of the registration.
    public var key: DeviceKey { DeviceKey(app: app, keyID: registration.keyID) }

    /// True if the device, its subject or its key is blocked.
    public var isBlocked: Bool { !blocks.isEmpty }
}

/// The unique key of a device record. Key ids of different formats do not collide: each is a digest of its public key.
public struct DeviceKey: Hashable, Sendable {
    public let app: AppID
    public let keyID: [UInt8]
    /// The longest key id that is looked up, in bytes. App Attest's have 32.
    public static let keyIDLimit = 64
    public init(app: AppID, keyID: [UInt8]) { (self.app, self.keyID) = (app, keyID) }

    public static func == (a: DeviceKey, b: DeviceKey) -> Bool { a.keyID.equals(b.keyID) && a.app == b.app }

    /// The key id as one piece of memory: an array hashes each byte by itself.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(app)
        keyID.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

/// The counter of a device: the highest accepted value, and which of the 64 values up to it were accepted.
///
/// `advanced` is the definition of the counter rules; ledgers apply it inside their transactions.
public struct CounterState: Hashable, Sendable {
    public var counter: UInt32
    /// Bit n is set if `counter - n` was accepted.
    public var window: UInt64

    public init(counter: UInt32, window: UInt64) { (self.counter, self.window) = (counter, window) }

    /// The state after `next` is accepted. Throws `counter_not_increasing` or `counter_too_old`.
    public func advanced(to next: UInt32, rule: CounterRule) throws(Rejection) -> CounterState {
        if next > counter {
            let step = next - counter
            return CounterState(counter: next, window: (step < 64 ? window << UInt64(step) : 0) | 1)
        }
        guard rule == .window64 else {
            throw Rejection(
                .counterNotIncreasing,
                next == counter
                    ? "counter \(next) was accepted before"
                    : "counter \(next) after \(counter): a repetition, or overtaken by another upload, which counter: strict refuses"
            )
        }
        let age = counter - next
        guard age < 64 else { throw Rejection(.counterTooOld, "counter \(next) lies \(age) below \(counter), window 64") }
        let bit: UInt64 = 1 << UInt64(age)
        guard window & bit == 0 else { throw Rejection(.counterNotIncreasing, "counter \(next) was accepted before") }
        return CounterState(counter: counter, window: window | bit)
    }
}
