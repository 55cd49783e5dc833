import AssayCore
import AssayLedger
import Testing

@testable import AssaySQLite

@Suite("Cache of certificates' records")
struct CertificateRecordCacheTests {
    private let cache = CertificateRecordCache(bytes: 320_000)

    private func keep(_ certificate: DeviceCertificate) {
        cache.insert(certificate, readAfter: cache.certificate(certificate.name).epoch)
    }

    private func held(_ certificate: DeviceCertificate) -> DeviceCertificate? {
        cache.certificate(certificate.name).certificate
    }

    @Test("A cached record is removed by its revocation, and another one is not")
    func revocation() throws {
        let device = try Sample.device()
        let (one, other) = (Sample.certificate(of: device), Sample.certificate(of: device))
        keep(one)
        keep(other)
        #expect(held(one) == one && held(other) == other)
        cache.publish(revoked: [one.name], othersWrote: false)
        #expect(held(one) == nil && held(other) == other)
    }

    @Test("A revoked certificate is not cached, and neither is a record that was read before a transaction")
    func notCached() throws {
        var certificate = Sample.certificate(of: try Sample.device())
        let epoch = cache.certificate(certificate.name).epoch
        cache.publish(revoked: [], othersWrote: false)
        cache.insert(certificate, readAfter: epoch)
        #expect(held(certificate) == nil)
        certificate.revocation = CertificateRevocation(.superseded, at: Sample.now)
        keep(certificate)
        #expect(held(certificate) == nil)
    }

    @Test("The cache is emptied when another process wrote")
    func others() throws {
        let certificate = Sample.certificate(of: try Sample.device())
        keep(certificate)
        cache.publish(revoked: [], othersWrote: true)
        #expect(held(certificate) == nil)
        keep(certificate)
        #expect(held(certificate) == certificate)
        cache.clear()
        #expect(held(certificate) == nil)
    }

    @Test("The cache is bounded by the bytes of the certificates, and keeps those that are used")
    func bounded() throws {
        let device = try Sample.device()
        let favourite = Sample.certificate(of: device)
        keep(favourite)
        let others = (0..<2000).map { _ in Sample.certificate(of: device, bytes: 1400) }
        for other in others {
            keep(other)
            #expect(held(favourite) == favourite)
        }
        let count = others.count { held($0) != nil }
        #expect(count > 20 && count * 2000 <= 320_000)
    }
}

@Suite("Cache of submissions' numbers")
struct SubmissionCacheTests {
    private let cache = SubmissionCache(bytes: 320_000)
    private let hours = SubmissionHours.counted(at: Sample.now)

    private func count(_ device: DeviceID, at time: Timestamp = Sample.now) -> Int64? {
        cache.count(of: device, at: time).count
    }

    @Test("A number holds for the hours that it was counted in, whichever way the clock goes")
    func hour() {
        let device = DeviceID.random()
        cache.insert(SubmissionCount(of: device, in: hours, 7), readAfter: cache.count(of: device, at: Sample.now).epoch)
        #expect(count(device) == 7)
        for offset in [-3_600_000, 3_600_000] as [Int64] {
            #expect(count(device, at: Sample.now.adding(milliseconds: offset)) == nil)
        }
        #expect(count(device) == 7)
    }

    @Test("A transaction's number replaces the cached one, also one that was read after its commit")
    func published() {
        let device = DeviceID.random()
        let epoch = cache.count(of: device, at: Sample.now).epoch
        cache.insert(SubmissionCount(of: device, in: hours, 3), readAfter: epoch)
        cache.publish([SubmissionCount(of: device, in: hours, 3)], removed: [], othersWrote: false)
        #expect(count(device) == 3)
        cache.insert(SubmissionCount(of: device, in: hours, 2), readAfter: epoch)
        #expect(count(device) == 3, "it was read before the transaction")
        cache.publish([], removed: [device], othersWrote: false)
        #expect(count(device) == nil)
        cache.publish([SubmissionCount(of: device, in: hours, 4)], removed: [device], othersWrote: true)
        #expect(count(device) == 4)
        cache.clear()
        #expect(count(device) == nil)
    }
}
