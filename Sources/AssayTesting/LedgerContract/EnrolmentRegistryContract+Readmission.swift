import AssayCore

extension EnrolmentRegistryContract {
    static let readmissionChecks: [ContractCheck] = [
        ContractCheck("A readmitted serial number is provisioned again, and the device before ends at that moment") { it in
            let key = SecureRandom.bytes(32)
            let old = try await it.provisioned(.sample(serial: [1], idempotency: key))
            let (app, id) = (old.record.app, old.device.id)
            let readmitted = try await it.readmitted([1])
            try same(readmitted.usedBy, nil, "the user of the readmission")
            try same(readmitted.replaces, id, "the device that it replaces")
            try same(await it.enrolments(of: app), [readmitted], "the permissions")
            try same(await it.ledger.enrolment(.serial([1]), of: app), readmitted, "the permission of the serial number")
            try same(await it.bothWays(old.device), old.device, "the device before the provisioning")
            try await it.expect(.rests(on: old.certificate.name, about: id), .committed, "its evidence before the provisioning")

            let new = try FleetEntry.sample(serial: [1], idempotency: SecureRandom.bytes(32))
            try same(await it.ledger.provision(new), .provisioned, "a provisioning")
            try same(await it.bothWays(old.device), nil, "the device before")
            try same(await it.bothWays(new.device), new.device, "the new device")
            try same(await it.ledger.status().devices, 1, "devices")
            let ended = try await it.ledger.certificate(old.certificate.name)
            try same(ended?.revocation, .init(.superseded, at: LedgerUnderTest.changedAt), "the revocation of its certificate")
            try same(ended?.der, [], "the DER of its certificate")
            try same(await it.bothWays(new.certificate), new.certificate, "the new certificate")
            try same(await it.ledger.fleetDevice(serial: [1], app: app), new.record, "the record by serial number")
            var superseded = old.record
            superseded.supersededAt = LedgerUnderTest.changedAt
            try same(await it.ledger.fleetDevice(idempotencyKey: key), superseded, "the record by its idempotency key")
            var used = readmitted
            used.usedBy = new.device.id
            try same(await it.enrolments(of: app), [used], "the permissions afterwards")
            try await it.expect(.rests(on: old.certificate.name), .refused(.revoked), "evidence under the certificate before")
            try await it.expect(.sample(about: id), .refused(.unknownDevice), "evidence of the device before")
            try await it.expect(
                .rests(on: new.certificate.name, about: new.device.id), .committed, "evidence of the new device")
            try same(
                await it.ledger.provision(.sample(serial: [1])), .refused(.alreadyProvisioned), "a second provisioning")
        },
        ContractCheck("A readmission is recorded with its device and reason, and a provisioning with what it ended") { it in
            let old = try await it.provisioned(.sample(serial: [1]))
            let readmitted = try await it.readmitted([1])
            _ = try await it.ledger.readmit(
                Readmission(app: old.record.app, serial: [1]), LedgerUnderTest.asked("a second time"))
            _ = try await it.ledger.readmit(Readmission(app: old.record.app, serial: [2]), LedgerUnderTest.asked("unknown"))
            let new = try FleetEntry.sample(serial: [1])
            try same(await it.ledger.provision(new), .provisioned, "a provisioning")
            try await it.expectChanges(
                [
                    .readmit(readmitted, LedgerUnderTest.asked("repaired")),
                    .forget(old.device, ForgottenDevice(keyStaysBlocked: false), new.context),
                    .revoke(old.certificate, .superseded, new.context),
                    .issue(new.certificate, by: new.context.origin),
                ], after: 2)
        },
        ContractCheck(
            "A readmission that waits stays as it is, one that expired is replaced, and one that is removed is taken back"
        ) {
            it in
            let old = try await it.provisioned(.sample(serial: [1]))
            let app = old.record.app
            let context = LedgerUnderTest.asked("")
            let limited = Readmission(app: app, serial: [1], family: "cam", expiry: LedgerUnderTest.expiry)
            guard case .readmitted(let first) = try await it.ledger.readmit(limited, context) else {
                throw ContractViolation("a readmission is not made")
            }
            try same(first.expiry, LedgerUnderTest.expiry, "its expiry")
            let open = Readmission(app: app, serial: [1])
            try same(await it.ledger.readmit(open, context), .pending(first), "another one")
            try same(await it.enrolments(of: app), [first], "the permissions")
            let late = ChangeContext(.caller("operator"), at: LedgerUnderTest.expiry)
            let second = Enrolment(open, replacing: old.device.id, at: LedgerUnderTest.expiry)
            try same(await it.ledger.readmit(open, late), .readmitted(second), "one after the expiry")
            try same(await it.enrolments(of: app), [second], "the permissions afterwards")

            try same(await it.ledger.removeEnrolment(second.permit, of: app, context), true, "its removal")
            try same(await it.enrolments(of: app).map(\.usedBy), [old.device.id], "the user of the permission")
            try same(await it.enrolments(of: app).map(\.replaces), [nil], "what it replaces")
            try same(await it.ledger.removeEnrolment(second.permit, of: app, context), false, "its removal a second time")
            try same(await it.ledger.provision(.sample(serial: [1])), .refused(.alreadyProvisioned), "a provisioning")
            try same(await it.bothWays(old.device), old.device, "the device")
        },
        ContractCheck("A device that was provisioned by a token is readmitted by its serial number") { it in
            let token = Enrolment(app: LedgerEntry.contractApp, permit: .token([7]), createdAt: LedgerUnderTest.now)
            _ = try await it.ledger.add([token], LedgerUnderTest.asked(""))
            let old = try FleetEntry.sample(serial: [1], token: [7])
            try same(await it.ledger.provision(old), .provisioned, "a provisioning")
            // A permission that was of no use before is of use now.
            _ = try await it.ledger.add([old.enrolment], LedgerUnderTest.asked(""))
            try same(await it.ledger.provision(.sample(serial: [1])), .refused(.alreadyProvisioned), "another provisioning")
            try same(await it.readmitted([1]).replaces, old.device.id, "the device that the readmission replaces")
            try same(await it.ledger.provision(.sample(serial: [1])), .provisioned, "a provisioning afterwards")
        },
        ContractCheck("Serial numbers that were not provisioned are not readmitted") { it in
            let entry = try FleetEntry.sample(serial: [1])
            _ = try await it.ledger.add([entry.enrolment], LedgerUnderTest.asked(""))
            let other = try Device.sample(app: "other").app
            _ = try await it.provisioned(.sample(serial: [2]))
            for readmission in [
                Readmission(app: entry.record.app, serial: [1]), Readmission(app: entry.record.app, serial: [3]),
                Readmission(app: other, serial: [2]),
            ] {
                let outcome = try await it.ledger.readmit(readmission, LedgerUnderTest.asked(""))
                try same(outcome, .notProvisioned, "the readmission of \(readmission)")
            }
            try same(await it.ledger.provision(entry), .provisioned, "a provisioning on the permission that was there")
        },
        ContractCheck("A readmission allows no old secret, no token, no other family, and nothing after its expiry") { it in
            let token = Enrolment(app: LedgerEntry.contractApp, permit: .token([7]), createdAt: LedgerUnderTest.now)
            _ = try await it.ledger.add([token], LedgerUnderTest.asked(""))
            let key = SecureRandom.bytes(32)
            let first = try await it.provisioned(.sample(serial: [1], idempotency: key))
            _ = try await it.readmitted([1])
            let old = try FleetEntry.sample(serial: [1])
            try same(await it.ledger.provision(old), .provisioned, "a second device")
            let limited = Readmission(app: old.record.app, serial: [1], family: "cam", expiry: LedgerUnderTest.expiry)
            _ = try await it.ledger.readmit(limited, LedgerUnderTest.asked(""))
            let before = try await it.ledger.status()
            let refused: [(String, ReasonCode, FleetEntry)] = [
                ("the secret", .alreadyProvisioned, try .sample(serial: [1], secretHash: old.record.secretHash)),
                ("an older secret", .alreadyProvisioned, try .sample(serial: [1], secretHash: first.record.secretHash)),
                ("a token", .alreadyProvisioned, try .sample(serial: [1], token: [7])),
                ("an older idempotency key", .idempotencyKeyReused, try .sample(serial: [1], idempotency: key)),
                ("another family", .notEnrolled, try .sample(serial: [1], family: "Cam")),
                ("its expiry", .notEnrolled, try .sample(serial: [1], at: LedgerUnderTest.expiry)),
                ("the certified key", .keyAlreadyCertified, try .sample(serial: [1], certifies: old.certificate.keyID)),
            ]
            for (what, code, entry) in refused { try same(await it.ledger.provision(entry), .refused(code), what) }
            try same(await it.ledger.status(), before, "the ledger after the refusals")
            try same(await it.bothWays(old.device), old.device, "the device after the refusals")
            try same(await it.bothWays(old.certificate), old.certificate, "its certificate after the refusals")
            try same(await it.ledger.provision(.sample(serial: [1])), .provisioned, "what the readmission allows")
        },
        ContractCheck("A blocked device is neither readmitted nor replaced, whether by itself or by its key") { it in
            let old = try await it.provisioned(.sample(serial: [1]))
            let readmission = Readmission(app: old.record.app, serial: [1])
            let context = LedgerUnderTest.asked("")
            for target in [BlockTarget.device(old.device.id), .key(old.device.key)] {
                _ = try await it.block(target)
                try same(await it.ledger.readmit(readmission, context), .blocked, "a readmission under \(target.kind)")
                _ = try await it.ledger.unblock(target)
            }
            let readmitted = try await it.readmitted([1])
            for target in [BlockTarget.device(old.device.id), .key(old.device.key)] {
                _ = try await it.block(target)
                try same(await it.ledger.readmit(readmission, context), .blocked, "another one under \(target.kind)")
                try same(await it.ledger.provision(.sample(serial: [1])), .refused(.deviceBlocked), "under \(target.kind)")
                _ = try await it.ledger.unblock(target)
            }
            try same(await it.enrolments(of: readmission.app), [readmitted], "the permissions")
            let revoked = old.certificate.revoked(.privilegeWithdrawn, at: LedgerUnderTest.now)
            try same(await it.bothWays(old.certificate), revoked, "its certificate, which the first block revoked")
            let second = try FleetEntry.sample(serial: [1])
            try same(await it.ledger.provision(second), .provisioned, "a provisioning afterwards")

            // The key of the device before, which is not registered any more.
            _ = try await it.block(.key(old.device.key))
            try same(await it.ledger.readmit(readmission, context), .blocked, "a readmission under a former key")
            _ = try await it.ledger.unblock(.key(old.device.key))
            _ = try await it.readmitted([1])
            _ = try await it.block(.key(old.device.key))
            try same(await it.ledger.provision(.sample(serial: [1])), .refused(.deviceBlocked), "under a former key")
            try same(await it.bothWays(second.device), second.device, "the device")
        },
        ContractCheck("A forgotten device is readmitted, unless it was blocked") { it in
            for (serial, isBlocked) in [([1], false), ([2], true)] as [([UInt8], Bool)] {
                let old = try await it.provisioned(.sample(serial: serial))
                if isBlocked { _ = try await it.block(.device(old.device.id)) }
                _ = try await it.ledger.forget(old.device.id)
                let readmission = Readmission(app: old.record.app, serial: serial)
                if isBlocked {
                    try same(
                        await it.ledger.readmit(readmission, LedgerUnderTest.asked("")), .blocked, "while its key is blocked")
                    _ = try await it.ledger.unblock(.key(old.device.key))
                }
                _ = try await it.readmitted(serial)
                try same(await it.ledger.provision(.sample(serial: serial)), .provisioned, "the provisioning")
                let reason = try await it.ledger.certificate(old.certificate.name)?.revocation?.reason
                try same(reason, isBlocked ? .privilegeWithdrawn : .cessationOfOperation, "the reason stays")
            }
        },
        ContractCheck("64 readmissions race: one is made. 64 provisionings race for it: exactly one replaces the device") {
            it in
            let old = try await it.provisioned(.sample(serial: [1]))
            let readmission = Readmission(app: old.record.app, serial: [1])
            let readmitted = Enrolment(readmission, replacing: old.device.id, at: LedgerUnderTest.changedAt)
            let answers = try await withThrowingTaskGroup(of: ReadmissionOutcome.self) { group in
                for _ in 0..<racers {
                    group.addTask { try await it.ledger.readmit(readmission, LedgerUnderTest.asked("repaired")) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try same(answers.count { $0 == .readmitted(readmitted) }, 1, "readmissions")
            try same(answers.count { $0 == .pending(readmitted) }, racers - 1, "the others")
            let entries = try (0..<racers).map { _ in try FleetEntry.sample(serial: [1]) }
            let outcomes = try await withThrowingTaskGroup(of: FleetOutcome.self) { group in
                for entry in entries { group.addTask { try await it.ledger.provision(entry) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try same(outcomes.count { $0 == .provisioned }, 1, "winners")
            try same(outcomes.count { $0 == .refused(.alreadyProvisioned) }, racers - 1, "losers")
            try same(await it.ledger.status().devices, 1, "devices")
        },
        ContractCheck("A block that races with the provisioning of a readmitted device comes before it or after it, whole") {
            it in
            for serial in (1...16).map({ [UInt8($0)] }) {
                let old = try await it.provisioned(.sample(serial: serial))
                let new = try FleetEntry.sample(serial: serial)
                _ = try await it.readmitted(serial)
                async let change = it.block(.key(old.device.key))
                async let outcome = it.ledger.provision(new)
                switch (try await outcome, try await change?.devices) {
                case (.provisioned, 0):
                    try same(await it.bothWays(old.device), nil, "the device that was replaced")
                    try same(await it.bothWays(new.device), new.device, "the new device")
                case (.refused(.deviceBlocked), 1):
                    try same(await it.device(old.device.id).isBlocked, true, "that the device is blocked")
                    try same(await it.bothWays(new.device), nil, "the new device")
                case (let outcome, let devices):
                    throw ContractViolation("the outcome is \(outcome), and \(devices as Any) devices were blocked")
                }
            }
        },
    ]
}

extension LedgerUnderTest {
    /// Readmits a serial number of the contract's app, and returns the permission.
    func readmitted(_ serial: [UInt8]) async throws -> Enrolment {
        let readmission = Readmission(app: LedgerEntry.contractApp, serial: serial)
        let outcome = try await ledger.readmit(readmission, Self.asked("repaired"))
        guard case .readmitted(let enrolment) = outcome else { throw ContractViolation("a readmission: found \(outcome)") }
        return enrolment
    }
}
