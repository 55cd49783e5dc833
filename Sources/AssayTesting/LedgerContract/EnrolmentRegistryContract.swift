import AssayCore

/// The checks of `EnrolmentRegistry`: permissions here, provisioning and readmission in files of their own.
public enum EnrolmentRegistryContract {
    public static let checks = permissionChecks + provisioningChecks + readmissionChecks

    private static let permissionChecks: [ContractCheck] = [
        ContractCheck("Permissions are added once each, and stay on record when they are used") { it in
            let app = LedgerEntry.contractApp
            let other = try Device.sample(app: "other").app
            let context = LedgerUnderTest.asked("")
            let serial = Enrolment(app: app, permit: .serial([1]), createdAt: LedgerUnderTest.now)
            let others = [
                Enrolment(app: app, permit: .token([1]), createdAt: LedgerUnderTest.now),
                Enrolment(app: other, permit: .serial([1]), createdAt: LedgerUnderTest.now),
                Enrolment(
                    app: app, permit: .serial([1, 0]), family: "cam", createdAt: LedgerUnderTest.now,
                    expiry: LedgerUnderTest.expiry),
            ]
            let outcomes = try await it.ledger.add([serial, serial] + others, context)
            try same(outcomes, [true, false, true, true, true], "the outcomes")
            try same(await it.ledger.add([others[2], serial], context), [false, false], "the outcomes of a second call")
            try same(await it.ledger.add([], context), [], "the outcomes of nothing")
            try same(await it.enrolments(of: app), [serial, others[0], others[2]], "the permissions of the app")
            try same(await it.enrolments(of: other), [others[1]], "the permissions of the other app")
            let entry = try FleetEntry.sample(serial: [1])
            try same(await it.ledger.provision(entry), .provisioned, "a provisioning")
            try same(await it.ledger.add([serial], context), [false], "the outcome of the used one")
            var used = serial
            used.usedBy = entry.device.id
            try same(await it.enrolments(of: app), [used, others[0], others[2]], "the permissions of the app afterwards")
        },
        ContractCheck("An unused permission can be removed and added again, and a used one stays") { it in
            let app = LedgerEntry.contractApp
            let context = LedgerUnderTest.asked("")
            let entry = try await it.provisioned()
            for permit in [Enrolment.Permit.serial([9]), .token(entry.record.serial), .serial(entry.record.serial)] {
                try same(await it.ledger.removeEnrolment(permit, of: app, context), false, "one that is unknown or used")
            }
            let free = Enrolment(app: app, permit: .token([7]), createdAt: LedgerUnderTest.now)
            _ = try await it.ledger.add([free], context)
            let other = try Device.sample(app: "other").app
            try same(await it.ledger.removeEnrolment(free.permit, of: other, context), false, "one of another app")
            try same(await it.ledger.removeEnrolment(free.permit, of: app, context), true, "an unused one")
            try same(await it.ledger.removeEnrolment(free.permit, of: app, context), false, "it a second time")
            try same(await it.enrolments(of: app).map(\.permit), [.serial(entry.record.serial)], "the permissions")
            let refused = try FleetEntry.sample(serial: [8], token: [7])
            try same(await it.ledger.provision(refused), .refused(.notEnrolled), "a provisioning with it")
            try same(await it.ledger.add([free], context), [true], "it, added again")
            try same(await it.ledger.provision(refused), .provisioned, "the provisioning afterwards")
        },
        ContractCheck("Permissions are recorded once for each app of a call, and calls that change nothing are not") { it in
            let context = LedgerUnderTest.asked("batch 7")
            let (app, other) = (LedgerEntry.contractApp, try Device.sample(app: "other").app)
            func enrolment(_ serial: UInt8, _ app: AppID) -> Enrolment {
                Enrolment(app: app, permit: .serial([serial]), createdAt: LedgerUnderTest.now)
            }
            let batch = [enrolment(1, app), enrolment(1, other), enrolment(1, app), enrolment(2, app)]
            for _ in 0..<2 { _ = try await it.ledger.add(batch, context) }
            for _ in 0..<2 { _ = try await it.ledger.removeEnrolment(.serial([1]), of: app, context) }
            try await it.expectChanges(
                [
                    .enrol([batch[0], batch[3]], of: app, context), .enrol([batch[1]], of: other, context),
                    .removeEnrolment(.serial([1]), of: app, context),
                ], after: 0)
        },
        ContractCheck(
            "A listing shows the permissions of one app in the order in which they were added, or used or unused ones"
        ) { it in
            let (app, other) = (LedgerEntry.contractApp, try Device.sample(app: "other").app)
            var all = (0..<7 as Range<UInt8>).map {
                Enrolment(app: app, permit: .serial([7 - $0]), createdAt: LedgerUnderTest.now)
            }
            for enrolment in all {
                _ = try await it.ledger.add([enrolment], LedgerUnderTest.asked(""))
                let foreign = Enrolment(app: other, permit: enrolment.permit, createdAt: LedgerUnderTest.now)
                _ = try await it.ledger.add([foreign], LedgerUnderTest.asked(""))
            }
            for index in [1, 2, 5] {
                let entry = try FleetEntry.sample(serial: all[index].permit.bytes)
                try same(await it.ledger.provision(entry), .provisioned, "a provisioning")
                all[index].usedBy = entry.device.id
            }
            for limit in [1, 2, 3, 6, 7, 8, 100] {
                for isUsed in [nil, true, false] {
                    let pages = try await it.pages {
                        EnrolmentListing(app: app, isUsed: isUsed, position: $0, limit: limit)
                    }
                    let wanted = all.filter { isUsed == nil || isUsed == ($0.usedBy != nil) }
                    try same(pages.flatMap(\.self), wanted, "the permissions of all pages of \(limit), used: \(isUsed as Any)")
                    try same(pages.allSatisfy { $0.count <= limit }, true, "no page is longer than \(limit)")
                }
            }
        },
        ContractCheck("A listing continues after permissions were added and removed between two pages") { it in
            let app = LedgerEntry.contractApp
            let all = (0..<5 as Range<UInt8>).map {
                Enrolment(app: app, permit: .serial([$0]), createdAt: LedgerUnderTest.now)
            }
            _ = try await it.ledger.add(Array(all[..<4]), LedgerUnderTest.asked(""))
            let first = try await it.ledger.enrolments(EnrolmentListing(app: app, limit: 2))
            guard let next = first.next else { throw ContractViolation("the first page says that it is the last") }
            // The last of the page and all behind it: a new permission must not take a place that was shown.
            for index in 1...3 {
                _ = try await it.ledger.removeEnrolment(all[index].permit, of: app, LedgerUnderTest.asked(""))
            }
            _ = try await it.ledger.add([all[4]], LedgerUnderTest.asked(""))
            let rest = try await it.ledger.enrolments(EnrolmentListing(app: app, position: next, limit: 10))
            try same(rest, EnrolmentPage(enrolments: [all[4]], next: nil), "the rest")
        },
    ]
}

extension FleetEntry {
    /// An entry that provisions a device with a serial number, a random secret and a certificate.
    static func sample(
        serial: [UInt8], secretHash: [UInt8] = SecureRandom.bytes(32), token: [UInt8]? = nil, family: String = "cam",
        idempotency: [UInt8] = [], certificate name: CertificateName? = nil, certifies keyID: [UInt8] = SecureRandom.bytes(32),
        at time: Timestamp = LedgerUnderTest.changedAt
    ) throws(ContractViolation) -> FleetEntry {
        let device = try Device.sample(keyID: secretHash)
        let certificate = DeviceCertificate.sample(
            of: device, issuer: name?.issuer ?? LedgerUnderTest.issuer, serial: name?.serial, keyID: keyID)
        return FleetEntry(
            device: device, certificate: certificate,
            record: FleetDevice(
                app: device.app, serial: serial, device: device.id, secretHash: secretHash, tables: [0, 258, 2499],
                certificate: certificate.name, idempotency: idempotency, request: SecureRandom.bytes(32),
                provisionedAt: time),
            family: family, token: token, context: ChangeContext(.caller("operator"), at: time, reason: "line 4"))
    }

    /// The permission for its serial number.
    var enrolment: Enrolment {
        Enrolment(app: record.app, permit: .serial(record.serial), createdAt: LedgerUnderTest.now)
    }
}

extension LedgerUnderTest {
    /// Adds a permission for the serial number of an entry, and provisions its device.
    func provisioned(_ entry: FleetEntry? = nil) async throws -> FleetEntry {
        let entry = try entry ?? FleetEntry.sample(serial: SecureRandom.bytes(9))
        try same(await ledger.add([entry.enrolment], Self.asked("")), [true], "a permission")
        try same(await ledger.provision(entry), .provisioned, "a provisioning")
        return entry
    }

    /// All permissions of an app.
    func enrolments(of app: AppID) async throws -> [Enrolment] {
        let page = try await ledger.enrolments(EnrolmentListing(app: app, limit: 100))
        try same(page.next, nil, "where the listing goes on behind all that there is")
        return page.enrolments
    }

    /// The permissions of each page, in order.
    fileprivate func pages(_ listing: (Int64) -> EnrolmentListing) async throws -> [[Enrolment]] {
        var pages: [[Enrolment]] = []
        var position: Int64? = 0
        while let here = position {
            let page = try await ledger.enrolments(listing(here))
            pages.append(page.enrolments)
            position = page.next
            guard pages.count <= 100 else { throw ContractViolation("the listing does not end") }
        }
        return pages
    }
}
