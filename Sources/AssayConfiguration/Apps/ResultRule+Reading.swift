import AssayCore
import AssaySchemes

extension ResultRule {
    /// The most audiences of an app.
    private static let audienceCount = 64
    /// The result of one verdict is not good for less, nor for more (``ResultKeyRule/longestResult``), in milliseconds.
    private static let lifetimes: ClosedRange<Int64> = 10_000...86_400_000
    /// A session token is good for an hour at most.
    private static let sessions: ClosedRange<Int64> = 60_000...3_600_000
    /// Wallets' attestations live for less than 24 hours (TS3).
    private static let walletLifetime: Int64 = 86_400_000

    /// The section `apps.<app>.results`. `nil` if it names no shape or no audience, which is reported.
    init?(reading value: ConfigurationReader.Value) {
        let section = value.section()
        let shapes = section.required("shapes")?.resultShapes() ?? []
        let audiences = section.required("audiences")?.audiences(atMost: Self.audienceCount) ?? []
        self.init(shapes: Set(shapes), audiences: audiences)
        deviceNaming = section.optional("device_id")?.choice(Self.namings) ?? deviceNaming
        let life = section.optional("lifetime")
        lifetime = life?.milliseconds(in: Self.lifetimes) ?? lifetime
        if let value = section.optional("session") { session = Session(reading: value, within: Self.sessions) }
        status = section.optional("status")?.boolean() ?? status
        let client = section.optional("client_id")
        clientID = client?.filledText()
        let walletValue = section.optional("wallet")
        wallet = walletValue.flatMap(Wallet.init(reading:))
        section.done()
        check(value, life: life, client: client, wallet: walletValue)
        guard !shapes.isEmpty, !audiences.isEmpty else { return nil }
    }

    private static let namings: KeyValuePairs<String, DeviceNaming> = [
        "pairwise": .pairwise, "global": .global, "none": .none,
    ]

    /// Rules between the keys.
    private func check(
        _ value: ConfigurationReader.Value, life: ConfigurationReader.Value?, client: ConfigurationReader.Value?,
        wallet: ConfigurationReader.Value?
    ) {
        let ofWallets = shapes.intersection([.walletInstance, .keyAttestation])
        if let shape = shapes.intersection([.clientAttestation, .walletInstance]).sorted(by: { $0.rawValue < $1.rawValue })
            .first,
            client == nil
        {
            value.report("\"client_id\" is missing: \(shape.rawValue) names the client")
        }
        if let shape = ofWallets.sorted(by: { $0.rawValue < $1.rawValue }).first, wallet == nil {
            value.report("\"wallet\" is missing: \(shape.rawValue) describes the wallet")
        }
        if shapes.contains(.walletInstance), lifetime >= Self.walletLifetime {
            life?.report("a wallet's attestation lives for less than 24 hours")
        }
        if !shapes.contains(.session) { value.at("session")?.report("\"shapes\" has no session") }
    }

    /// What is signed, as a sentence.
    var summary: String {
        let words = shapes.map(\.rawValue).sorted().joined(separator: ", ")
        let naming =
            switch deviceNaming {
            case .pairwise: "the device by an id for the audience"
            case .global: "the device by its id"
            case .none: "no device"
            }
        return
            "signs results as \(words) for \(audiences.joined(separator: ", ")); they name \(naming) and are good for \(DurationText.exact(lifetime))"
    }
}

extension ResultRule.Session {
    /// Devices have few session tokens at a time.
    private static let counts = 1...100

    fileprivate init(reading value: ConfigurationReader.Value, within lifetimes: ClosedRange<Int64>) {
        self.init()
        let section = value.section()
        lifetime = section.optional("lifetime")?.milliseconds(in: lifetimes) ?? lifetime
        if let least = section.optional("minimum_assurance")?.leastAssurance() { minimumAssurance = least }
        perDevice = section.optional("per_device")?.integer(in: Self.counts)
        section.done()
    }
}

extension ResultRule.Wallet {
    fileprivate init?(reading value: ConfigurationReader.Value) {
        let section = value.section()
        let (name, version) = (section.required("name")?.filledText(), section.required("version")?.filledText())
        let certification = section.required("certification")?.filledText()
        let link = section.optional("link")?.filledText()
        section.done()
        guard let name, let version, let certification else { return nil }
        self.init(name: name, version: version, certification: certification, link: link)
    }
}

extension ConfigurationReader.Value {
    /// Each once.
    fileprivate func resultShapes() -> [ResultShape]? {
        let words = ResultShape.allCases.map(\.rawValue)
        let list = filledList(orReport: "an empty list allows no results; leave the section out")
        var shapes: [ResultShape] = []
        for item in list ?? [] {
            guard let shape = item.choice(among: words).flatMap(ResultShape.init(rawValue:)) else { continue }
            if shapes.contains(shape) { item.report("\(shape.rawValue) stands twice") } else { shapes.append(shape) }
        }
        return shapes
    }

    /// Each once, in the order of the file.
    fileprivate func audiences(atMost limit: Int) -> [String]? {
        let list = filledList(orReport: "without an audience no result can be asked for")
        if list?.count ?? 0 > limit { report("want at most \(limit) audiences") }
        var audiences: [String] = []
        for item in list ?? [] {
            guard let text = item.text() else { continue }
            guard (1...ResultRequest.audienceLimit).contains(text.utf8.count),
                !text.unicodeScalars.contains(where: { $0.value < 0x20 })
            else {
                item.report("want an audience of 1 to \(ResultRequest.audienceLimit) bytes without control characters")
                continue
            }
            if audiences.contains(where: { $0.utf8.elementsEqual(text.utf8) }) {
                item.report("the audience stands twice")
            } else {
                audiences.append(text)
            }
        }
        return audiences
    }

    fileprivate func leastAssurance() -> Assurance? {
        let levels = Assurance.allCases.filter { $0 > .none }
        let word = choice(among: levels.map(\.name))
        return levels.first { $0.name == word }
    }
}
