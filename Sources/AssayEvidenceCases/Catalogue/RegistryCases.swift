import AssayClient
import AssayCore
import AssaySimulator

extension EvidenceCase {
    /// Of what the daemon knows about the device.
    static let registry: [EvidenceCase] = [
        EvidenceCase(.unknownDevice, "No device with the key is registered.", for: [.assert]) { run in
            try await run.signed(by: try run.stranger())
        },
        EvidenceCase(.deviceBlocked, "An operator has blocked the device.", for: [.assert], make: blocked),
        EvidenceCase(.deviceFlagged, "The device has a flag that the app rejects.", for: [.assert]) { run in
            let device = try run.stranger()
            let id = try await run.register(device)
            _ = try await run.client.flag(id, CasePolicy.flag, app: run.app, reason: "the case of a test")
            return try await run.signed(by: device)
        },
        EvidenceCase(
            .deviceMismatch, "Another device signs than the account's.", for: [.assert], needs: [.expectedDevice]
        ) { run in
            let device = try run.stranger()
            try await run.register(device)
            return try await run.signed(by: device)
        },
        EvidenceCase(
            .keyOwnerMismatch, "The device is registered for another account.", for: [.assert], needs: [.subject]
        ) { run in
            let device = try run.stranger()
            // The SHA-256 of an account is another account.
            try await run.register(device, subject: ClientData.payloadHash(run.asked.subject))
            return try await run.signed(by: device)
        },
        EvidenceCase(.keyAlreadyRegistered, "A registered key is attested once more.", for: [.register]) { run in
            let device = try await run.ready()
            let challenge = try await run.challenge()
            return run.request(challenge, try device.attest(try run.clientData(challenge), at: run.now))
        },
        EvidenceCase(
            .tooManyDevices, "The account has as many devices as the app allows.", for: [.register], needs: [.subject]
        ) { run in
            var registered = 0
            while try await run.registers(try run.stranger(), subject: run.asked.subject) {
                registered += 1
                guard registered <= CasePolicy.devicesOfSubject else {
                    throw CaseError(.preparation, "the daemon registers more devices of one account than the app allows")
                }
            }
            return try await run.honest()
        },
        EvidenceCase(
            .replacementRefused, "The registration is to retire a device of another account.", for: [.register],
            needs: [.wholeRequest]
        ) { run in
            let other = try run.stranger()
            let id = try await run.register(other, subject: Array("another account".utf8))
            var request = try await run.honest()
            if request.subject.isEmpty { request.subject = Array("an account".utf8) }
            request.replaces = id
            return request
        },
        EvidenceCase(
            .counterNotIncreasing, "A counter is used twice.", for: [.assert], with: [.iPhone, .mac]
        ) { run in
            let request = try await run.honest()
            try await run.accept(request)
            return request
        },
        EvidenceCase(
            .counterTooOld, "A counter is far below the highest accepted one.", for: [.assert], with: [.iPhone, .mac]
        ) { run in
            var device = try run.stranger()
            try await run.register(device)
            let ahead = try await run.issue(.assert, context: run.asked.context)
            let first = try device.sign(try run.clientData(ahead), .genuine.counter(200))
            try await run.accept(run.request(ahead, first))
            let challenge = try await run.challenge()
            return run.request(challenge, try device.sign(try run.clientData(challenge), .genuine.counter(100)))
        },
        EvidenceCase(
            .attestationKeyOverused, "The key that attests has attested more devices in a day than one device has.",
            for: [.register], with: [.android]
        ) { run in
            var device = run.policy.android()
            for _ in 0..<CasePolicy.devicesOfAttestationKey {
                try await run.register(CaseDevice(.android, .google(try device.makeKey())))
            }
            let challenge = try await run.challenge()
            return run.request(
                challenge, try CaseDevice.attest(try device.makeKey(), try run.clientData(challenge), at: run.now))
        },
    ]
}
