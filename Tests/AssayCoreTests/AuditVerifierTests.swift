import AssayCore
import Crypto
import Testing

@Suite("Audit verifier")
struct AuditVerifierTests {
    /// The rows of an unbroken log.
    private static func log(_ count: Int) -> [AuditRow] {
        var chain = AuditChain()
        return (0..<count).map { index in
            let time = Timestamp(unixMilliseconds: Int64(index))
            let record = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 20)
            chain.append(record, at: time)
            return AuditRow(number: chain.number, time: time, record: record, head: chain.head)
        }
    }

    private func verify(
        _ rows: [AuditRow], from start: AuditChain = AuditChain(), _ heads: ExpectedAuditHead...
    ) -> AuditError? {
        var verifier = AuditVerifier(from: start, expecting: heads)
        for row in rows { verifier.take(row) }
        return verifier.finish()
    }

    private func expect(_ fault: AuditError?, _ kind: AuditError.Kind, at number: Int64, _ words: String) {
        #expect(fault?.kind == kind && fault?.number == number, "\(String(describing: fault))")
        #expect(fault?.detail.contains(words) == true, "\(String(describing: fault))")
    }

    @Test("An unbroken audit log verifies, wherever it begins")
    func whole() {
        let rows = Self.log(30)
        #expect(verify(rows) == nil)
        #expect(verify([]) == nil)
        #expect(verify(Array(rows[10...]), from: AuditChain(number: 10, head: rows[9].head)) == nil)
    }

    @Test("A changed row is found, with what changed in it", arguments: [1, 2, 15, 29, 30] as [Int64])
    func changed(_ number: Int64) {
        let index = Int(number - 1)
        for part in ["record", "time", "head"] {
            var rows = Self.log(30)
            let row = rows[index]
            rows[index] = AuditRow(
                number: row.number, time: part == "time" ? Timestamp(unixMilliseconds: 999) : row.time,
                record: part == "record" ? row.record.dropLast() + [0xFF] : row.record,
                head: part == "head" ? row.head.dropLast() + [row.head[31] ^ 1] : row.head)
            let words =
                number == 30 ? "its record, time or head is not" : part == "head" ? "its head is not" : "record or time is"
            expect(verify(rows), .changed, at: number, words)
        }
    }

    @Test("Missing rows are found and counted")
    func missing() {
        var rows = Self.log(30)
        rows.remove(at: 6)
        expect(verify(rows), .missing, at: 7, "it is not there")
        rows.removeSubrange(6..<9)
        expect(verify(rows), .missing, at: 7, "all up to 10 are")
        expect(verify(Array(Self.log(3)[1...])), .missing, at: 1, "it is not there")
    }

    @Test("A removed row is found although later rows were renumbered")
    func closedGap() {
        var rows = Self.log(30)
        rows.remove(at: 6)
        rows = rows.enumerated().map { AuditRow(number: Int64($0 + 1), time: $1.time, record: $1.record, head: $1.head) }
        expect(verify(rows), .changed, at: 7, "")
    }

    @Test("Exchanged rows are found, by their contents and by their order")
    func reordered() {
        let rows = Self.log(30)
        var contents = rows
        func put(_ source: AuditRow, at index: Int) {
            contents[index] = AuditRow(number: Int64(index + 1), time: source.time, record: source.record, head: source.head)
        }
        put(rows[20], at: 4)
        put(rows[4], at: 20)
        expect(verify(contents), .reordered, at: 5, "under the number 21")
        var lines = rows
        lines.swapAt(4, 5)
        expect(verify(lines), .reordered, at: 5, "behind record 6")
        lines = rows
        lines.insert(rows[2], at: 10)
        expect(verify(lines), .repeated, at: 3, "behind record 10")
    }

    @Test("After a break the verifier examines a bounded number of rows")
    func bounded() {
        var rows = Self.log(2000)
        rows.remove(at: 0)
        var verifier = AuditVerifier(from: AuditChain())
        let taken = rows.prefix { row in
            verifier.take(row)
            return !verifier.isDecided
        }.count
        #expect(taken == 1000 && verifier.fault?.kind == .missing)
    }

    @Test("A cut tail is found only with a head that was kept elsewhere")
    func truncated() throws {
        let rows = Self.log(30)
        let head = rows[29].head
        let cut = Array(rows.prefix(20))
        #expect(verify(cut) == nil)
        let numbered = try #require(ExpectedAuditHead(Hex.encode(head) + ":30"))
        #expect(verify(rows, numbered) == nil)
        expect(verify(cut, numbered), .truncated, at: 21, "expected were 30")
        let bare = try #require(ExpectedAuditHead(Hex.encode(head)))
        #expect(verify(rows, bare) == nil)
        expect(verify(cut, bare), .headNotFound, at: 1, "up to 20")
    }

    @Test("A rewritten log is found only with a head that was kept elsewhere")
    func rewritten() {
        var chain = AuditChain()
        let rows = Self.log(30).enumerated().map { index, row in
            let record = index == 10 ? [1] : row.record
            chain.append(record, at: row.time)
            return AuditRow(number: row.number, time: row.time, record: record, head: chain.head)
        }
        #expect(verify(rows) == nil)
        let kept = AuditChain(number: 20, head: Self.log(30)[19].head)
        expect(verify(rows, ExpectedAuditHead(kept)), .rewritten, at: 20, Hex.encode(kept.head))
        let older = AuditChain(number: 10, head: Self.log(30)[9].head)
        #expect(verify(rows, ExpectedAuditHead(older)) == nil, "what was changed came later")
    }

    @Test("A head before the start of a shortened log is reported as dropped")
    func dropped() {
        let rows = Self.log(30)
        let start = AuditChain(number: 10, head: rows[9].head)
        let rest = Array(rows[10...])
        #expect(verify(rest, from: start, ExpectedAuditHead(start)) == nil)
        expect(
            verify(rest, from: start, ExpectedAuditHead(AuditChain(number: 10, head: rows[8].head))), .rewritten, at: 10, "")
        expect(
            verify(rest, from: start, ExpectedAuditHead(AuditChain(number: 9, head: rows[8].head))), .headDropped, at: 9,
            "after record 10")
    }

    @Test("A signed head verifies with its key and no other")
    func signedHead() throws {
        let key = Curve25519.Signing.PrivateKey()
        let chain = AuditChain(number: 7, head: [UInt8](repeating: 9, count: 32))
        let time = Timestamp(unixMilliseconds: 1_767_225_600_123)
        let start = AuditChain(number: 3, head: [UInt8](repeating: 5, count: 32))
        for start in [nil, start, AuditChain()] as [AuditChain?] {
            let signature = Array(try key.signature(for: SignedAuditHead.message(chain, from: start, at: time)))
            let signed = SignedAuditHead(chain, from: start, at: time, signature: signature)
            #expect(signed.isSigned(by: Array(key.publicKey.rawRepresentation)))
            #expect(!signed.isSigned(by: Array(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation)))
            #expect(!signed.isSigned(by: []))
            let later = SignedAuditHead(chain, from: start, at: time.adding(milliseconds: 1), signature: signature)
            #expect(!later.isSigned(by: Array(key.publicKey.rawRepresentation)))
            for other in [nil, AuditChain(number: 2, head: start?.head ?? []), AuditChain(number: 3, head: chain.head)]
            where other != start {
                let moved = SignedAuditHead(chain, from: other, at: time, signature: signature)
                #expect(!moved.isSigned(by: Array(key.publicKey.rawRepresentation)), "a start that was not signed")
            }
            let read = try #require(ExpectedAuditHead(signed.description))
            #expect(read.signed == signed && read.description == signed.description && read == ExpectedAuditHead(signed))
        }
    }

    @Test("A head of a writer with a name is signed with the name, and its text begins with it")
    func writerHead() throws {
        let key = Curve25519.Signing.PrivateKey()
        let publicKey = Array(key.publicKey.rawRepresentation)
        let chain = AuditChain(number: 7, head: [UInt8](repeating: 9, count: 32))
        let (start, time) = (AuditChain(), Timestamp(unixMilliseconds: 1_767_225_600_123))
        let writer = try #require(AuditWriter(named: "host-1.a"))
        let message = SignedAuditHead.message(chain, of: writer, from: start, at: time)
        let signature = Array(try key.signature(for: message))
        let signed = SignedAuditHead(chain, of: writer, from: start, at: time, signature: signature)
        #expect(signed.isSigned(by: publicKey))
        for other in [AuditWriter.only, try #require(AuditWriter(named: "host-1"))] {
            let renamed = SignedAuditHead(chain, of: other, from: start, at: time, signature: signature)
            #expect(!renamed.isSigned(by: publicKey), "\(other)")
        }
        let read = try #require(ExpectedAuditHead(signed.description))
        #expect(signed.description.hasPrefix("host-1.a/") && read.signed == signed && read == ExpectedAuditHead(signed))
        let startless = Array(try key.signature(for: SignedAuditHead.message(chain, of: writer, from: nil, at: time)))
        #expect(!SignedAuditHead(chain, of: writer, from: nil, at: time, signature: startless).isSigned(by: publicKey))
    }

    @Test("The name of a writer stands before expected heads and starts")
    func writerNames() throws {
        let hash = String(repeating: "ab", count: 32)
        let signature = Base64.url.encode([UInt8](repeating: 0, count: 64))
        for text in [hash, hash + ":12", hash + ":1:" + hash + ":1:3:" + signature] {
            #expect(try #require(ExpectedAuditHead(text)).writer == .only)
            let named = try #require(ExpectedAuditHead("w.0/" + text))
            #expect(named.writer.name == "w.0" && named.description == "w.0/" + text)
        }
        for text in ["4", hash + ":3"] {
            #expect(try #require(ExpectedAuditStart(text)).writer == .only)
            let named = try #require(ExpectedAuditStart("w.0/" + text))
            #expect(named.writer.name == "w.0" && named.description == "w.0/" + text)
        }
        for name in ["", "W", "w w", "w/w", String(repeating: "w", count: 65)] {
            #expect(AuditWriter(named: name) == nil, "\(name)")
            #expect(
                ExpectedAuditHead(name + "/" + hash) == nil && ExpectedAuditStart(name + "/" + hash + ":1") == nil, "\(name)")
        }
        #expect(ExpectedAuditHead("w/" + hash + ":1:3:" + signature) == nil, "version 1 has no writer")
    }

    @Test("An expected start is the number of a record or the head before it")
    func starts() throws {
        let start = AuditChain(number: 3, head: [UInt8](repeating: 5, count: 32))
        let hash = Hex.encode(start.head)
        for text in ["4", hash + ":3"] {
            let expected = try #require(ExpectedAuditStart(text))
            #expect(expected.description == text && expected.fault(in: start) == nil)
            let cut = try #require(expected.fault(in: AuditChain(number: 9, head: start.head)))
            #expect(cut.kind == .startMoved && cut.number == 4 && cut.detail.contains("begins with record 10"))
            let earlier = try #require(expected.fault(in: AuditChain()))
            #expect(earlier.kind == .startMoved && earlier.number == 1)
        }
        let other = AuditChain(number: 3, head: [UInt8](repeating: 6, count: 32))
        #expect(ExpectedAuditStart(start).fault(in: other)?.kind == .rewritten)
        #expect(ExpectedAuditStart("4")?.fault(in: other) == nil, "a number alone says nothing of the hash")
        let signature = Base64.url.encode([UInt8](repeating: 0, count: 64))
        for text in ["", "0", "-1", "x", hash, hash + ":", hash + ":-1", hash + ":3:1:" + signature] {
            #expect(ExpectedAuditStart(text) == nil, "\(text)")
        }
    }

    @Test("Other text is not read as a head")
    func malformedHeads() {
        let hash = String(repeating: "ab", count: 32)
        let signature = Base64.url.encode([UInt8](repeating: 0, count: 64))
        #expect(ExpectedAuditHead(hash + ":1:" + hash + ":1:3:" + signature)?.signed?.start?.number == 1)
        for text in [
            "", "ab", hash + ":", hash + ":-1", hash + ":x", hash + ":1:2", hash + ":1:2:AAAA", hash + ":1:x:" + hash,
            hash + ":1:2:3:4", hash + "ab", hash + ":1:" + hash + ":0:2:AAAA", hash + ":1:ab:0:2:" + signature,
            hash + ":1:" + hash + ":2:3:" + signature, hash + ":1:" + hash + ":-1:3:" + signature,
            hash + ":1:" + hash + ":0:3", hash + ":1:" + hash + ":0:3:" + signature + ":4",
        ] {
            #expect(ExpectedAuditHead(text) == nil, "\(text)")
        }
        #expect(ExpectedAuditHead(hash.uppercased())?.description == hash)
        #expect(ExpectedAuditHead(hash + ":12")?.description == hash + ":12")
    }
}
