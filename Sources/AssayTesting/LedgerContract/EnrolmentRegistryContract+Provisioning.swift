import AssayCore

extension EnrolmentRegistryContract {
    static let provisioningChecks: [ContractCheck] = [
        ContractCheck("A provisioned device is registered, certified and found by serial number and idempotency key") { it in
            let key = SecureRandom.bytes(32)
            let entry = try await it.provisioned(.sample(serial: [4, 5], idempotency: key))
            let app = entry.record.app
            try same(await it.bothWays(entry.device), entry.device, "the device")
            try same(await it.bothWays(entry.certificate), entry.certificate, "the certificate")
            try same(await it.ledger.fleetDevice(serial: [4, 5], app: app), entry.record, "the record by serial number")
            try same(await it.ledger.fleetDevice(idempotencyKey: key), entry.record, "the record by idempotency key")
            try same(await it.ledger.status().devices, 1, "devices")
            try same(await it.enrolments(of: app).map(\.usedBy), [entry.device.id], "the user of the permission")
            for serial in [[4], [4, 5, 0], []] as [[UInt8]] {
                try same(await it.ledger.fleetDevice(serial: serial, app: app), nil, "another serial number")
            }
            let other = try Device.sample(app: "other").app
            try same(await it.ledger.fleetDevice(serial: [4, 5], app: other), nil, "the serial number in another app")
            _ = try await it.provisioned(.sample(serial: [6]))
            try same(await it.ledger.fleetDevice(idempotencyKey: []), nil, "a record without an idempotency key")
            try await it.expect(
                .rests(on: entry.certificate.name, about: entry.device.id), .committed, "evidence of the device")
        },
        ContractCheck("A provisioning is recorded as the issue of its certificate, by the origin of the call") { it in
            let entry = try FleetEntry.sample(serial: [1])
            _ = try await it.ledger.add([entry.enrolment], LedgerUnderTest.asked(""))
            for outcome in [FleetOutcome.provisioned, .refused(.alreadyProvisioned)] {
                try same(await it.ledger.provision(entry), outcome, "the outcome")
            }
            try await it.expectChanges([.issue(entry.certificate, by: .caller("operator"))], after: 1)
        },
        ContractCheck("64 provisionings race for a serial number, a secret or a token: exactly one wins") { it in
            let (serial, secret, token) = (SecureRandom.bytes(9), SecureRandom.bytes(32), SecureRandom.bytes(32))
            let keyID = SecureRandom.bytes(32)
            let name = CertificateName(issuer: LedgerUnderTest.issuer, serial: [3])
            func serials() -> [UInt8] { SecureRandom.bytes(9) }
            let races: [(what: String, code: ReasonCode, entry: () throws -> FleetEntry)] = [
                ("a serial number", .alreadyProvisioned, { try .sample(serial: serial) }),
                ("a secret", .alreadyProvisioned, { try .sample(serial: serials(), secretHash: secret) }),
                ("a token", .notEnrolled, { try .sample(serial: serials(), token: token) }),
                ("an idempotency key", .idempotencyKeyReused, { try .sample(serial: serials(), idempotency: secret) }),
                ("a certified key", .keyAlreadyCertified, { try .sample(serial: serials(), certifies: keyID) }),
                ("a name of a certificate", .certificateSerialTaken, { try .sample(serial: serials(), certificate: name) }),
            ]
            let permission = Enrolment(
                app: LedgerEntry.contractApp, permit: .token(token), createdAt: LedgerUnderTest.now)
            _ = try await it.ledger.add([permission], LedgerUnderTest.asked(""))
            for (number, race) in races.enumerated() {
                let entries = try (0..<racers).map { _ in try race.entry() }
                let permissions = entries.filter { $0.token == nil }.map(\.enrolment)
                _ = try await it.ledger.add(permissions, LedgerUnderTest.asked(""))
                let outcomes = try await withThrowingTaskGroup(of: FleetOutcome.self) { group in
                    for entry in entries { group.addTask { try await it.ledger.provision(entry) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                try same(outcomes.count { $0 == .provisioned }, 1, "winners of \(race.what)")
                try same(outcomes.count { $0 == .refused(race.code) }, racers - 1, "losers of \(race.what)")
                try same(await it.ledger.status().devices, Int64(number + 1), "devices")
            }
        },
        ContractCheck("The reason of a refused provisioning is the first in the documented order, and nothing is changed") {
            it in
            let known = try await it.provisioned(.sample(serial: [1], idempotency: [UInt8](repeating: 1, count: 32)))
            // Every check fails for this entry; then one after the other is put right.
            var (serial, secret) = (known.record.serial, known.record.secretHash)
            var idempotency = known.record.idempotency
            var (name, keyID): (CertificateName?, [UInt8]) = (known.certificate.name, known.certificate.keyID)
            var before = try await it.ledger.status()
            func expect(_ outcome: FleetOutcome, _ what: String) async throws {
                let entry = try FleetEntry.sample(
                    serial: serial, secretHash: secret, idempotency: idempotency, certificate: name, certifies: keyID)
                try same(await it.ledger.provision(entry), outcome, what)
                guard outcome != .provisioned else { return }
                try same(await it.ledger.status(), before, "the ledger after a refusal: \(what)")
                try same(await it.ledger.device(entry.device.id), nil, "the device after a refusal: \(what)")
                let unused = try await it.enrolments(of: entry.record.app).count { $0.usedBy == nil }
                try same(unused, serial == [3] ? 1 : 0, "unused permissions after a refusal: \(what)")
            }
            try await expect(.refused(.alreadyProvisioned), "the serial number comes first")
            serial = [2]
            try await expect(.refused(.alreadyProvisioned), "with the secret")
            secret = SecureRandom.bytes(32)
            try await expect(.refused(.idempotencyKeyReused), "then the idempotency key")
            idempotency = []
            let target = BlockTarget.key(DeviceKey(app: known.record.app, keyID: secret))
            _ = try await it.block(target)
            before = try await it.ledger.status()
            try await expect(.refused(.deviceBlocked), "then the device's key")
            _ = try await it.ledger.unblock(target)
            before = try await it.ledger.status()
            try await expect(.refused(.notEnrolled), "then the permission")
            serial = [3]
            let permission = Enrolment(app: known.record.app, permit: .serial([3]), createdAt: LedgerUnderTest.now)
            _ = try await it.ledger.add([permission], LedgerUnderTest.asked(""))
            before = try await it.ledger.status()
            try await expect(.refused(.keyAlreadyCertified), "then the certified key")
            keyID = SecureRandom.bytes(32)
            try await expect(.refused(.certificateSerialTaken), "then the name of the certificate")
            name = nil
            try await expect(.provisioned, "then nothing")
        },
        ContractCheck("A device whose key or id is registered is not provisioned") { it in
            let entry = try FleetEntry.sample(serial: [1])
            _ = try await it.ledger.add([entry.enrolment], LedgerUnderTest.asked(""))
            for device in [entry.device.again(), try Device.sample(id: entry.device.id)] {
                _ = try await it.register(device)
                try same(await it.ledger.provision(entry), .refused(.alreadyProvisioned), "the device")
                _ = try await it.ledger.forget(device.id)
            }
            try same(await it.ledger.provision(entry), .provisioned, "the device afterwards")
        },
        ContractCheck("A permission counts for its serial number or token, its family and until its expiry") { it in
            let app = LedgerEntry.contractApp
            let end = LedgerUnderTest.expiry
            _ = try await it.ledger.add(
                [
                    Enrolment(app: app, permit: .serial([1]), family: "cam", createdAt: LedgerUnderTest.now),
                    Enrolment(app: app, permit: .token([2]), createdAt: LedgerUnderTest.now, expiry: end),
                    Enrolment(app: app, permit: .serial([3]), createdAt: LedgerUnderTest.now, expiry: end),
                ], LedgerUnderTest.asked(""))
            let refused: [(String, FleetEntry)] = [
                ("another family", try .sample(serial: [1], family: "Cam")),
                ("no family", try .sample(serial: [1], family: "")),
                ("a serial number without a permission", try .sample(serial: [2])),
                ("an unknown token, though the serial number has a permission", try .sample(serial: [1], token: [1])),
                ("a token at its expiry", try .sample(serial: [9], token: [2], at: end)),
                ("a serial number at its expiry", try .sample(serial: [3], at: end)),
            ]
            for (what, entry) in refused { try same(await it.ledger.provision(entry), .refused(.notEnrolled), what) }
            let last = end.adding(milliseconds: -1)
            let provisioned: [(String, FleetEntry)] = [
                ("the family", try .sample(serial: [1])), ("the token", try .sample(serial: [9], token: [2], at: last)),
                ("any family", try .sample(serial: [3], family: "", at: last)),
            ]
            for (what, entry) in provisioned { try same(await it.ledger.provision(entry), .provisioned, what) }
            let again = try FleetEntry.sample(serial: [10], token: [2])
            try same(await it.ledger.provision(again), .refused(.notEnrolled), "the used token")
        },
        ContractCheck("A forgotten device of a fleet stays provisioned, and its certificate is revoked") { it in
            let entry = try await it.provisioned()
            _ = try await it.ledger.forget(entry.device.id, LedgerUnderTest.asked(""))
            try same(await it.bothWays(entry.device), nil, "the device")
            let record = try await it.ledger.fleetDevice(serial: entry.record.serial, app: entry.record.app)
            try same(record, entry.record, "the record")
            let revocation = try await it.ledger.certificate(entry.certificate.name)?.revocation
            try same(revocation?.reason, .cessationOfOperation, "the reason of the revocation")
            let again = try FleetEntry.sample(serial: entry.record.serial)
            try same(await it.ledger.provision(again), .refused(.alreadyProvisioned), "its serial number")
            let other = try FleetEntry.sample(serial: SecureRandom.bytes(9), secretHash: entry.record.secretHash)
            _ = try await it.ledger.add([other.enrolment], LedgerUnderTest.asked(""))
            try same(await it.ledger.provision(other), .refused(.alreadyProvisioned), "its secret")
        },
        ContractCheck("A device of a fleet is blocked by its key like any other") { it in
            let entry = try await it.provisioned()
            _ = try await it.ledger.block(.key(entry.device.key), LedgerUnderTest.asked("stolen"))
            try await it.expect(.sample(about: entry.device.id), .refused(.deviceBlocked), "evidence of the device")
            let revoked = entry.certificate.revoked(.privilegeWithdrawn)
            try same(await it.bothWays(entry.certificate), revoked, "the certificate")
        },
    ]
}
