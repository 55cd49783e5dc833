/// All facts that were fetched for one request. With the request and the policy they determine the judgement.
package struct RequestFacts: Hashable, Sendable {
    /// The facts of one piece of evidence.
    package struct Piece: Hashable, Sendable {
        package var facts: Facts
        /// What was looked up and asked. Otherwise it is not known whether there is any.
        package var lookups: Lookups
        /// The key id of the device that a plugin read from the evidence, 32 bytes; `nil`: it read none, or no plugin was asked.
        package var locatedKeyID: [UInt8]?
        /// Why the plugin that was asked for the device refused the evidence; `nil`: it did not.
        package var locationRefusal: Rejection?

        package init(
            facts: Facts = Facts(), lookups: Lookups = [], locatedKeyID: [UInt8]? = nil, locationRefusal: Rejection? = nil
        ) {
            (self.facts, self.lookups) = (facts, lookups)
            (self.locatedKeyID, self.locationRefusal) = (locatedKeyID, locationRefusal)
        }
    }

    /// What is looked up or asked for a piece of evidence, and can come to nothing.
    package struct Lookups: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Made without the general code of an empty list, which looks its types up at run time.
        package static var none: Lookups { Lookups(rawValue: 0) }
        package static let device = Lookups(rawValue: 1)
        package static let certificate = Lookups(rawValue: 2)
        /// The device that a plugin reads from the evidence.
        package static let location = Lookups(rawValue: 4)
        /// What plugins say of the evidence.
        package static let opinions = Lookups(rawValue: 8)
    }

    /// What the registry has under the id of the device that the request wants replaced.
    package enum Replaced: Hashable, Sendable {
        case unknown
        /// A reference, since a device is long and few requests replace one.
        indirect case device(Device)
    }

    /// In the order of the evidence. Fewer, if the request was refused before the facts of all pieces were fetched.
    package var pieces: [Piece]
    /// The keyed hash of the subject that the request names; `nil`: it names none.
    package var subject: [UInt8]?
    /// Whether the subject is blocked; `nil`: that was not looked up.
    package var isSubjectBlocked: Bool?
    /// `nil`: it was not looked up.
    package var replaced: Replaced?

    package init(
        pieces: [Piece], subject: [UInt8]? = nil, isSubjectBlocked: Bool? = nil, replaced: Replaced? = nil
    ) {
        (self.pieces, self.subject) = (pieces, subject)
        (self.isSubjectBlocked, self.replaced) = (isSubjectBlocked, replaced)
    }
}

extension Device {
    /// What the rules compare of a device that is to be replaced: its app, its format, its subject and its blocks.
    fileprivate var compared: Device {
        Device(
            id: id, app: app, subject: subject,
            registration: Registration(
                format: registration.format, keyID: [], publicKey: [], environment: "", anchor: [], claims: Claims(),
                chainSerials: [], receipt: [], simulated: registration.simulated), registeredAt: registeredAt, blocks: blocks)
    }
}

extension RequestFacts {
    /// Stands for the request's subject in a recording, and for every other one.
    private static let (own, other): ([UInt8], [UInt8]) = ([1], [2])

    /// The same facts for a recording: no subject, receipt or challenge, and no reason of a block. Subjects keep only whether they are the request's.
    package var recorded: RequestFacts {
        func recorded(_ device: Device) -> Device {
            device.recorded(
                subject: device.subject.map { $0 == subject ? Self.own : Self.other },
                blocks: device.blocks.map { Device.Block($0.kind, reason: "", since: $0.since) })
        }
        var facts = self
        for index in facts.pieces.indices {
            facts.pieces[index].facts.device = facts.pieces[index].facts.device.map(recorded)
        }
        if case .device(let device)? = replaced { facts.replaced = .device(recorded(device).compared) }
        if subject != nil { facts.subject = Self.own }
        return facts
    }
}
