import AssayCore

/// The checks of `UploadRegistry`.
enum UploadRegistryContract {
    private static func owner(_ app: String, _ caller: String) throws -> UploadOwner {
        guard let app = AppID(app) else { throw ContractViolation("the literal is not an app id") }
        return UploadOwner(app: app, caller: caller)
    }

    private static var owner: UploadOwner { get throws { try owner("camera", "handler") } }
    private static var others: [UploadOwner] { get throws { [try owner("camera", "other"), try owner("notes", "handler")] } }
    private static let now = LedgerUnderTest.now
    /// One hour later.
    private static let expiry = now.adding(milliseconds: 3_600_000)
    private static let hash = [UInt8](repeating: 0xAA, count: 32)

    private static func id(_ number: UInt8) throws -> UploadID {
        guard let id = UploadID(bytes: [UInt8](repeating: number, count: 16)) else { throw ContractViolation("no id") }
        return id
    }

    /// An upload of three chunks, the last of one byte, unless another size is given.
    private static func upload(
        _ number: UInt8, of other: UploadOwner? = nil, size: UInt64 = 131_073, at time: Timestamp = now
    ) throws -> Upload {
        Upload(
            id: try id(number), owner: try other ?? owner, plan: try ChunkPlan(size: size, chunkSize: 65_536),
            payloadSHA256: hash,
            begunAt: time, expiry: time.adding(milliseconds: 3_600_000))
    }

    private static func chunk(_ index: Int, _ byte: UInt8 = 1, size: Int64? = nil) -> UploadChunk {
        UploadChunk(index: index, size: size ?? (index == 2 ? 1 : 65_536), sha256: [UInt8](repeating: byte, count: 32))
    }

    private static let statement = UploadStatement(count: 3, payloadSHA256: hash)

    /// Begins an upload, and states all its chunks if `isFull`.
    private static func begin(_ it: LedgerUnderTest, _ number: UInt8 = 1, isFull: Bool = false) async throws -> Upload {
        let upload = try upload(number)
        try same(await it.ledger.begin(upload, limit: 10), .success(UploadProgress(upload)), "an upload that begins")
        if isFull {
            try same(
                await it.ledger.put([0, 1, 2].map { chunk($0) }, of: upload.id, by: owner, at: now),
                .success(UploadProgress(upload, completed: [0, 1, 2])), "all chunks")
        }
        return upload
    }

    static let checks: [ContractCheck] = [
        ContractCheck("Chunks of an upload are kept in any order, and the same again is fine") { it in
            let upload = try await begin(it)
            for (chunks, completed) in [([2, 0], [0, 2]), ([0], [0, 2]), ([1, 1, 2], [0, 1, 2])] as [([Int], Set<Int>)] {
                try same(
                    await it.ledger.put(chunks.map { chunk($0) }, of: upload.id, by: owner, at: now),
                    .success(UploadProgress(upload, completed: completed)), "chunks \(chunks)")
                try same(
                    await it.ledger.progress(of: upload.id, by: owner), UploadProgress(upload, completed: completed),
                    "the upload with chunks \(completed)")
            }
            try same(await it.ledger.upload(upload.id), upload, "the upload")
            try same(await it.ledger.progress(of: try id(9), by: owner), nil, "an upload that never began")
            try same(await it.ledger.upload(try id(9)), nil, "an upload that never began")
        },
        ContractCheck("A call with one wrong chunk keeps none of its chunks") { it in
            let upload = try await begin(it)
            _ = try await it.ledger.put([chunk(0)], of: upload.id, by: owner, at: now)
            let refused: [([UploadChunk], UploadRefusal)] = [
                ([chunk(1), chunk(3)], .outOfRange(index: 3, count: 3)),
                ([chunk(1), chunk(-1)], .outOfRange(index: -1, count: 3)),
                ([chunk(1), chunk(2, size: 2)], .wrongSize(index: 2, stated: 2, expected: 1)),
                ([chunk(1, size: 65_535)], .wrongSize(index: 1, stated: 65_535, expected: 65_536)),
                ([chunk(1), chunk(0, 2)], .tampered(index: 0, kept: chunk(0).sha256, stated: chunk(0, 2).sha256)),
                ([chunk(1, 3), chunk(1, 4)], .tampered(index: 1, kept: chunk(1, 3).sha256, stated: chunk(1, 4).sha256)),
            ]
            for (chunks, refusal) in refused {
                try same(await it.ledger.put(chunks, of: upload.id, by: owner, at: now), .failure(refusal), "\(chunks)")
            }
            try same(
                await it.ledger.progress(of: upload.id, by: owner), UploadProgress(upload, completed: [0]), "the upload")
        },
        ContractCheck("An upload is finished with all chunks, their number and the hash of the whole, and then stays as it is")
        { it in
            let upload = try await begin(it)
            _ = try await it.ledger.put([chunk(1)], of: upload.id, by: owner, at: now)
            try same(
                await it.ledger.finish(upload.id, statement, by: owner, at: now),
                .failure(.incomplete(missing: [0, 2], count: 3)), "an end without all chunks")
            _ = try await it.ledger.put([chunk(0), chunk(2)], of: upload.id, by: owner, at: now)
            let wrong = [UInt8](repeating: 0xAB, count: 32)
            try same(
                await it.ledger.finish(upload.id, UploadStatement(count: 2, payloadSHA256: hash), by: owner, at: now),
                .failure(.countMismatch(stated: 2, expected: 3)), "an end with two chunks")
            try same(
                await it.ledger.finish(upload.id, UploadStatement(count: 3, payloadSHA256: wrong), by: owner, at: now),
                .failure(.hashMismatch(stated: wrong, begun: hash)), "an end with another hash")
            try same(await it.ledger.upload(upload.id)?.finishedAt, nil, "when it was finished")
            var finished = UploadProgress(upload, completed: [0, 1, 2])
            finished.upload.finishedAt = now
            for time in [now, now.adding(milliseconds: 5)] {
                try same(await it.ledger.finish(upload.id, statement, by: owner, at: time), .success(finished), "the end")
            }
            try same(await it.ledger.upload(upload.id), finished.upload, "the finished upload")
            try same(
                await it.ledger.put([chunk(2)], of: upload.id, by: owner, at: now), .success(finished), "a chunk of it again")
            try same(
                await it.ledger.put([chunk(2, 9)], of: upload.id, by: owner, at: now),
                .failure(.tampered(index: 2, kept: chunk(2).sha256, stated: chunk(2, 9).sha256)), "another chunk")
        },
        ContractCheck("An upload is unknown to other callers and in other apps") { it in
            let upload = try await begin(it, isFull: true)
            for other in try others {
                try same(await it.ledger.put([chunk(0)], of: upload.id, by: other, at: now), .failure(.unknown), "a chunk")
                try same(await it.ledger.finish(upload.id, statement, by: other, at: now), .failure(.unknown), "an end")
                try same(await it.ledger.progress(of: upload.id, by: other), nil, "the upload")
                try same(await it.ledger.abort(upload.id, by: other), false, "an abort")
                try same(
                    await it.ledger.begin(try Self.upload(1, of: other), limit: 10), .failure(.keyReused), "the same name")
            }
            try same(await it.ledger.put([chunk(0)], of: try id(9), by: owner, at: now), .failure(.unknown), "no upload")
            try same(await it.ledger.upload(upload.id), upload, "the upload")
        },
        ContractCheck("An upload that is begun again under its name is the same one, and no other is begun under it") { it in
            let upload = try await begin(it)
            _ = try await it.ledger.put([chunk(1)], of: upload.id, by: owner, at: now)
            let again = try Self.upload(1, at: now.adding(milliseconds: 1000))
            try same(
                await it.ledger.begin(again, limit: 1), .success(UploadProgress(upload, completed: [1])),
                "the same again, where no other may begin")
            try same(
                await it.ledger.begin(try Self.upload(1, size: 131_072), limit: 10), .failure(.keyReused), "another size")
        },
        ContractCheck("An upload ends with its expiry, is remembered for an hour, and its name is free then") { it in
            let upload = try await begin(it, isFull: true)
            let last = expiry.adding(milliseconds: -1)
            try same(
                try await it.ledger.put([chunk(0)], of: upload.id, by: owner, at: last).map(\.completed), .success([0, 1, 2]),
                "a chunk before the expiry")
            try same(
                await it.ledger.put([chunk(0)], of: upload.id, by: owner, at: expiry), .failure(.expired(at: expiry)), "a chunk"
            )
            try same(
                await it.ledger.finish(upload.id, statement, by: owner, at: expiry), .failure(.expired(at: expiry)), "an end")
            let remembered = expiry.adding(milliseconds: Upload.rememberedFor)
            try await it.ledger.purge(now: remembered)
            try same(await it.ledger.upload(upload.id), upload, "the upload an hour after its expiry")
            let again = try Self.upload(1, at: expiry)
            try same(await it.ledger.begin(again, limit: 1), .success(UploadProgress(again)), "another one of the name")
            try same(
                await it.ledger.progress(of: upload.id, by: owner), UploadProgress(again), "the other one, without chunks")
            let gone = again.expiry.adding(milliseconds: Upload.rememberedFor + 1)
            try await it.ledger.purge(now: gone)
            try same(await it.ledger.upload(upload.id), nil, "the upload later")
        },
        ContractCheck("More uploads than a purge removes at a time are purged") { it in
            for number in 1...50 as ClosedRange<UInt8> { _ = try await it.ledger.begin(try upload(number), limit: 100) }
            try await it.ledger.purge(now: expiry.adding(milliseconds: Upload.rememberedFor + 1))
            for number in 1...50 as ClosedRange<UInt8> { try same(await it.ledger.upload(try id(number)), nil, "an upload") }
        },
        ContractCheck("An app has as many unfinished uploads as it may; finished, expired and aborted ones do not count") {
            it in
            for number in 1...3 as ClosedRange<UInt8> { _ = try await begin(it, number, isFull: true) }
            let more = try upload(4)
            let refused = UploadOutcome.failure(.tooManyOpen(limit: 3, app: try owner.app))
            try same(await it.ledger.begin(more, limit: 3), refused, "one more")
            try same(
                await it.ledger.begin(try upload(5, of: others[0]), limit: 3), refused, "one more of another caller of the app")
            try same(
                try await it.ledger.begin(try upload(6, of: others[1]), limit: 3).map(\.completed), .success([]),
                "one of another app")
            _ = try await it.ledger.finish(try id(1), statement, by: owner, at: now)
            try same(await it.ledger.begin(more, limit: 3), .success(UploadProgress(more)), "one after another was finished")
            try same(await it.ledger.abort(try id(2), by: owner), true, "an abort")
            try same(await it.ledger.abort(try id(2), by: owner), false, "a second abort")
            try same(await it.ledger.upload(try id(2)), nil, "an aborted upload")
            let fifth = try upload(5)
            try same(await it.ledger.begin(fifth, limit: 3), .success(UploadProgress(fifth)), "one after another was aborted")
            let late = try upload(7, at: expiry)
            try same(await it.ledger.begin(late, limit: 1), .success(UploadProgress(late)), "one after all have expired")
        },
        ContractCheck("800 chunks are kept by one call") { it in
            let whole = try upload(1, size: 52_428_800)
            try same(whole.plan.count, 800, "the chunks of the largest upload")
            _ = try await it.ledger.begin(whole, limit: 1)
            let chunks = (0..<800).map {
                UploadChunk(index: $0, size: 65_536, sha256: [UInt8](repeating: UInt8($0 % 256), count: 32))
            }
            try same(
                await it.ledger.put(chunks, of: whole.id, by: owner, at: now),
                .success(UploadProgress(whole, completed: Set(0..<800))), "all chunks")
            try same(
                await it.ledger.finish(whole.id, UploadStatement(count: 800, payloadSHA256: hash), by: owner, at: now)
                    .map(\.missing), .success([]), "the end")
        },
        ContractCheck("64 statements about one chunk race with as many hashes: one is kept, and the others show it") { it in
            let upload = try await begin(it)
            let outcomes = try await race(1...UInt8(racers)) { byte in
                try await it.ledger.put([chunk(1, byte)], of: upload.id, by: owner, at: now)
            }
            try same(outcomes.count { (try? $0.get()) != nil }, 1, "statements that are kept")
            let kept = Set(
                outcomes.compactMap { outcome -> [UInt8]? in
                    guard case .failure(.tampered(1, let kept, _)) = outcome else { return nil }
                    return kept
                })
            try same(kept.count, 1, "hashes that the others show")
            let winner = kept.first ?? []
            try same(
                await it.ledger.put([UploadChunk(index: 1, size: 65_536, sha256: winner)], of: upload.id, by: owner, at: now),
                .success(UploadProgress(upload, completed: [1])), "the kept hash again")
        },
        ContractCheck("64 uploads race for the last places: no more begin than may be unfinished") { it in
            let outcomes = try await race(1...UInt8(racers)) { number in
                try await it.ledger.begin(try upload(number), limit: 5)
            }
            try same(outcomes.count { (try? $0.get()) != nil }, 5, "uploads that began")
        },
        ContractCheck("64 equal uploads race under one name: one begins, and all get it") { it in
            let upload = try upload(1)
            let outcomes = try await race(1...UInt8(racers)) { _ in try await it.ledger.begin(upload, limit: 1) }
            try same(outcomes.allSatisfy { $0 == .success(UploadProgress(upload)) }, true, "that all get it")
        },
    ]

    private static func race(
        _ numbers: ClosedRange<UInt8>, _ body: @escaping @Sendable (UInt8) async throws -> UploadOutcome
    ) async throws -> [UploadOutcome] {
        try await withThrowingTaskGroup(of: UploadOutcome.self) { group in
            for number in numbers { group.addTask { try await body(number) } }
            var outcomes: [UploadOutcome] = []
            for try await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
    }
}
