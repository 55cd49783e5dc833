import AssayCore
import AssayResults
import AssaySigning
import AssayTesting
import Testing

@testable import AssayService

@Suite("The publisher of status lists", .timeLimit(.minutes(30)))
struct StatusListPublisherTests {
    @Test("a block is in the list at the next look, in both forms, and so is its end")
    func block() async throws {
        let scene = try await StatusListScene()
        let reference = try await scene.reference()
        await scene.publisher.look()
        #expect(try await scene.status() == .valid)
        try await scene.block(scene.device)
        #expect(try await scene.status() == .valid, "what was signed before")
        await scene.publisher.look()
        for form in StatusListForm.allCases {
            #expect(try await scene.read(form).status(of: reference) == .suspended)
        }
        try await scene.unblock(scene.device)
        await scene.publisher.look()
        #expect(try await scene.status() == .valid)
    }

    @Test("a failed judgement and a forgotten device are invalid")
    func invalid() async throws {
        let scene = try await StatusListScene()
        _ = try await scene.reference()
        _ = try await scene.ledger.setInvalid([scene.device: true])
        await scene.publisher.look()
        #expect(try await scene.status() == .invalid)
        _ = try await scene.ledger.setInvalid([scene.device: false])
        await scene.publisher.look()
        #expect(try await scene.status() == .valid)
        _ = try await scene.ledger.forget(scene.device, ChangeContext(.caller("test"), at: scene.clock.now()))
        await scene.publisher.look()
        #expect(try await scene.status() == .invalid)
    }

    @Test("a block, what caches keep and what readers keep are below a minute together")
    func staleness() {
        let period = StatusListPublisher.period / 1000
        #expect(period + 2 * StatusListPublisher.cacheLifetime <= 50)
    }

    @Test("a list names its address, its end, and how long readers may keep it")
    func claims() async throws {
        let scene = try await StatusListScene(lifetime: 600_000)
        _ = try await scene.reference()
        let list = try await scene.read(.cwt)
        #expect(list.uri == "https://assay.example.com/v1/status/0")
        #expect(list.issuedAt == ServiceHarness.opening)
        #expect(list.expiresAt == ServiceHarness.opening.adding(milliseconds: 600_000))
        #expect(list.timeToLive == 15 && list.list.count == 131_072)
        let published = try #require(await scene.publisher.list())
        #expect(published.cacheLifetime(at: ServiceHarness.opening) == 15)
        #expect(published.cacheLifetime(at: ServiceHarness.opening.adding(milliseconds: 595_000)) == 5)
        #expect(published.token(.jwt).tag != published.token(.cwt).tag)
    }

    @Test("a list that says the same is not signed again before half of its life, and is read from the ledger when it is")
    func renewal() async throws {
        let scene = try await StatusListScene(lifetime: 600_000)
        _ = try await scene.reference()
        await scene.publisher.look()
        let first = try #require(await scene.publisher.list())
        for _ in 0..<3 { await scene.publisher.look() }
        scene.clock.advance(milliseconds: 299_000)
        await scene.publisher.look()
        #expect(await scene.publisher.list()?.token(.jwt).tag == first.token(.jwt).tag)
        #expect(scene.publisher.report.signed == 1 && scene.ledger.asked(.statusEntries) == 1)
        scene.clock.advance(milliseconds: 1000)
        await scene.publisher.look()
        #expect(await scene.publisher.list()?.token(.jwt).tag != first.token(.jwt).tag)
        #expect(scene.publisher.report.signed == 2 && scene.ledger.asked(.statusEntries) == 2)
    }

    @Test("while the ledger does not answer the last list is served until it ends, and no list after that")
    func failingLedger() async throws {
        let scene = try await StatusListScene(lifetime: 600_000)
        _ = try await scene.reference()
        await scene.publisher.look()
        let last = try #require(await scene.publisher.list())
        scene.ledger.fail(.statusLists, with: .unavailable("gone"))
        try await scene.block(scene.device)
        for step in [0, 1, 300_000, 299_998] as [Int64] {
            scene.clock.advance(milliseconds: step)
            await scene.publisher.look()
            #expect(await scene.publisher.list()?.token(.jwt).tag == last.token(.jwt).tag)
        }
        #expect(scene.publisher.report.problem?.contains("gone") == true)
        #expect(scene.publisher.report.checkedAt == ServiceHarness.opening)
        scene.clock.advance(milliseconds: 1)
        guard case .unavailable = await scene.publisher.find(0, of: .devices) else {
            Issue.record("a list that has ended is served")
            return
        }
        scene.ledger.fail(.statusLists, with: nil)
        await scene.publisher.look()
        #expect(try await scene.status() == .suspended)
        #expect(scene.publisher.report.problem == nil && scene.publisher.report.checkedAt == scene.clock.now())
    }

    @Test("entries that cannot be read leave the list as it was, and are read at the next look")
    func failingEntries() async throws {
        let scene = try await StatusListScene()
        _ = try await scene.reference()
        await scene.publisher.look()
        try await scene.block(scene.device)
        scene.ledger.fail(.statusEntries, with: .overloaded)
        await scene.publisher.look()
        #expect(try await scene.status() == .valid && scene.publisher.report.problem != nil)
        scene.ledger.fail(.statusEntries, with: nil)
        await scene.publisher.look()
        #expect(try await scene.status() == .suspended)
    }

    @Test("a block between the two reads of a look is in the list, or in the next one")
    func blockBetweenReads() async throws {
        let scene = try await StatusListScene()
        _ = try await scene.reference()
        let ledger = scene.ledger
        let (device, now) = (scene.device, scene.clock.now())
        ledger.before(.statusEntries) {
            _ = try? await ledger.memory.block(.device(device), ChangeContext(.caller("test"), at: now))
        }
        await scene.publisher.look()
        #expect(try await scene.status() == .suspended)
        await scene.publisher.look()
        #expect(scene.ledger.asked(.statusEntries) == 2, "the revision was older than the entries")
        #expect(try await scene.status() == .suspended)
    }

    @Test("64 blocks race looks of three publishers: after one more look each of them has all")
    func race() async throws {
        let scene = try await StatusListScene()
        var devices: [DeviceID] = []
        for _ in 0..<64 { devices.append(try await self.device(in: scene)) }
        let others = [
            StatusListScene.publisher(scene.ledger, scene.ring, scene.clock),
            StatusListScene.publisher(scene.ledger, scene.ring, scene.clock),
        ]
        let publishers = [scene.publisher] + others
        await withTaskGroup(of: Void.self) { group in
            for device in devices { group.addTask { try? await scene.block(device) } }
            for publisher in publishers { group.addTask { for _ in 0..<20 { await publisher.look() } } }
        }
        for publisher in publishers {
            await publisher.look()
            let list = try await scene.read(from: publisher)
            for device in devices {
                let reference = try await scene.places.statusReference(
                    of: device, for: ResultIssuers.audience, from: ResultIssuers.devices, until: scene.clock.now())
                #expect(try list.status(of: reference) == .suspended)
            }
        }
    }

    /// A registered device with a place.
    private func device(in scene: StatusListScene) async throws -> DeviceID {
        let known = try #require(try await scene.ledger.memory.device(scene.device))
        let registration = known.registration
        let device = Device(
            id: .random(), app: known.app, subject: nil,
            registration: Registration(
                format: registration.format, keyID: SecureRandom.bytes(32), publicKey: registration.publicKey,
                environment: registration.environment, anchor: registration.anchor, claims: registration.claims,
                chainSerials: [], receipt: [], simulated: true),
            registeredAt: scene.clock.now())
        _ = try await scene.ledger.add(imported: [device], ChangeContext(.caller("test"), at: scene.clock.now()))
        _ = try await scene.places.statusReference(
            of: device.id, for: ResultIssuers.audience, from: ResultIssuers.devices, until: scene.clock.now())
        return device.id
    }

    @Test("a list that began since the last look is found by its first reader, and readers of others make one look a second")
    func unknownLists() async throws {
        let scene = try await StatusListScene()
        await scene.publisher.look()
        #expect(scene.publisher.report.lists == 0)
        scene.clock.advance(milliseconds: 1000)
        _ = try await scene.reference()
        #expect(try await scene.status() == .valid, "without a look of its own")
        let asked = scene.ledger.asked(.statusLists)
        for list in 1...50 as ClosedRange<UInt32> {
            guard case .unavailable = await scene.publisher.find(list, of: .devices) else {
                Issue.record("something is said of the list \(list) without a look")
                return
            }
        }
        #expect(scene.ledger.asked(.statusLists) == asked)
        scene.clock.advance(milliseconds: 1000)
        guard case .unknownList = await scene.publisher.find(7, of: .devices) else {
            Issue.record("the list 7 is one")
            return
        }
        #expect(scene.ledger.asked(.statusLists) == asked + 1)
        scene.ledger.fail(.statusLists, with: .unavailable("gone"))
        scene.clock.advance(milliseconds: 1000)
        guard case .unavailable = await scene.publisher.find(7, of: .devices) else {
            Issue.record("nothing is known of a list while the ledger does not answer")
            return
        }
    }

    @Test("each issuer has its lists at its own address, under its own key, and one that is not configured has none")
    func issuers() async throws {
        let scene = try await StatusListScene([ResultIssuers.devices, ResultIssuers.simulated])
        _ = try await scene.reference(from: ResultIssuers.simulated)
        await scene.publisher.look()
        let simulated = try await scene.read(of: ResultIssuers.simulated)
        #expect(simulated.uri == "https://assay.example.com/simulated/v1/status/0")
        #expect(try await scene.read().keyIdentifier != simulated.keyIdentifier)
        try scene.sign(as: [ResultIssuers.devices])
        guard case .unknownIssuer = await scene.publisher.find(0, of: .simulatedDevices) else {
            Issue.record("a list of an issuer that is not configured")
            return
        }
        await scene.publisher.look()
        #expect(scene.publisher.report.lists == 1)
    }

    @Test("a list is signed again when another key signs, and stays what it was while none may sign")
    func rotation() async throws {
        let scene = try await StatusListScene()
        _ = try await scene.reference()
        await scene.publisher.look()
        let first = try await scene.read()
        let next = ResultIssuers()
        try scene.sign(as: [ResultIssuers.devices], by: [next])
        scene.clock.advance(milliseconds: 1000)
        await scene.publisher.look()
        let second = try await scene.read()
        #expect(second.keyIdentifier != first.keyIdentifier && next.signer.signatures == 2)
        // This daemon does not have the key that signs.
        let keys = try scene.issuers.keys(of: [ResultIssuers.devices]).own + next.keys(of: [ResultIssuers.devices]).own
        let published = keys.map {
            PublishedResultKey($0.published, publishedAt: ServiceHarness.opening, signsFrom: ServiceHarness.opening)
        }
        scene.ring.learn(own: [keys[0]], published: published, ResultKeyRule())
        try await scene.block(scene.device)
        await scene.publisher.look()
        #expect(scene.publisher.report.problem?.contains("result_key_unavailable") == true)
        #expect(try await scene.read().keyIdentifier == second.keyIdentifier)
    }

    @Test("a key that fails leaves the last list, and signs at the next look")
    func failingSigner() async throws {
        let scene = try await StatusListScene()
        _ = try await scene.reference()
        await scene.publisher.look()
        try await scene.block(scene.device)
        scene.issuers.signer.fail(with: SigningError("the token is away"))
        await scene.publisher.look()
        #expect(try await scene.status() == .valid && scene.publisher.report.problem?.contains("away") == true)
        scene.issuers.signer.fail(with: nil)
        await scene.publisher.look()
        #expect(try await scene.status() == .suspended && scene.publisher.report.problem == nil)
    }

    @Test("without an issuer of results the ledger is not asked")
    func unconfigured() async throws {
        let scene = try await StatusListScene([])
        await scene.publisher.look()
        #expect(scene.ledger.asked(.statusLists) == 0 && scene.publisher.report == StatusListReport())
    }

    @Test("a full list says something of each of its 131,072 places, and the next place is in the next list")
    func fullList() async throws {
        let scene = try await StatusListScene()
        let audience = [UInt8](repeating: 9, count: 32)
        // Devices that are not registered, which are invalid.
        let requests = (0..<Int(ResultStatusPlace.listSize)).map { _ in
            ResultStatusRequest(device: .random(), audience: audience, until: .distantFuture)
        }
        _ = try await scene.ledger.statusPlaces(requests)
        let reference = try await scene.reference()
        #expect(reference.uri.hasSuffix("/v1/status/1"))
        await scene.publisher.look()
        #expect(scene.publisher.report.lists == 2)
        let full = try await scene.read(list: 0).list
        #expect((0..<full.count).allSatisfy { full[$0] == 1 })
        #expect(try await scene.read(list: 1).status(of: reference) == .valid)
    }
}
