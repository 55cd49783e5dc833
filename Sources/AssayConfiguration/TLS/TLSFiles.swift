package import AssayAPI
import AssayCertificates
package import AssayCore
import AssayFiles
package import AssayListening
import AssayRPC
package import AssaySchemes
import Foundation

/// Why the files of the section `tls` cannot be used.
package struct TLSFileError: Error, CustomStringConvertible {
    package let part: TLSError.Part
    /// With the file's path.
    package let description: String
}

/// The files of the section `tls`, read and judged: whole, fitting, and within their dates.
package struct TLSFiles {
    /// A file larger than this is none of ours, in bytes.
    package static let sizeLimit = 1 << 20

    /// What is no error yet.
    package struct Warning: Hashable, Sendable {
        package let code: ConfigurationFinding.Code
        /// With the file's path.
        package let text: String

        /// The key of the configuration that names the file.
        package var key: String {
            switch code {
            case .authorityExpired: "tls.client_ca"
            case .privateKeyOpen: "tls.private_key"
            default: "tls.certificate"
            }
        }
    }

    package let credentials: TLSCredentials
    package let warnings: [Warning]
    /// When the certificates end.
    package let ends: [CertificateEnd]

    package init(_ settings: TLSSettings, at now: Timestamp) throws(TLSFileError) {
        let certificates = try Self.read(settings.certificate, .certificates)
        let privateKey = try Self.read(settings.privateKey, .privateKey)
        let authorities = try Self.read(settings.clientCA, .authorities)
        do throws(TLSError) {
            credentials = try TLSCredentials(
                certificates: certificates, privateKey: privateKey, authorities: authorities)
            try credentials.check()
        } catch {
            throw TLSFileError(part: error.part, description: "\(settings.path(of: error.part)): \(error)")
        }
        var warnings: [Warning] = []
        func warn(_ code: ConfigurationFinding.Code, _ text: String) { warnings.append(Warning(code: code, text: text)) }
        if let dates = credentials.dates, dates.areReversed {
            throw TLSFileError(
                part: .certificates,
                description: "\(settings.certificate): the certificate \(dates.reversal): it is never valid")
        }
        if let dates = credentials.dates?.timestamps {
            guard dates.upperBound >= now else {
                throw TLSFileError(
                    part: .certificates,
                    description:
                        "\(settings.certificate): the certificate expired \(dates.upperBound), and the clock says \(now)")
            }
            guard dates.lowerBound <= now else {
                throw TLSFileError(
                    part: .certificates,
                    description:
                        "\(settings.certificate): the certificate is valid from \(dates.lowerBound) only, and the clock says \(now)"
                )
            }
            if dates.upperBound < now.adding(milliseconds: CertificateEnd.notice) {
                warn(.certificateExpiresSoon, "\(settings.certificate): the certificate expires \(dates.upperBound)")
            }
        }
        if let use = TLSCertificateUse(credentials.certificate) {
            if let why = use.whyNoServer {
                throw TLSFileError(part: .certificates, description: "\(settings.certificate): \(why)")
            }
            for doubt in use.doubtsAsServer { warn(.certificateUnfit, "\(settings.certificate): \(doubt)") }
        }
        if let why = credentials.authorityCertificates.lazy.compactMap({ TLSCertificateUse($0)?.whyNoAuthority }).first {
            throw TLSFileError(part: .authorities, description: "\(settings.clientCA): \(why)")
        }
        let authorityDates = credentials.authorityDates
        let ends = authorityDates.compactMap { $0.timestamps?.upperBound }
        let expired = ends.count { $0 < now }
        if let reversed = authorityDates.first(where: \.areReversed) {
            let words = "\(settings.clientCA): a CA certificate \(reversed.reversal): it is never valid"
            guard expired < ends.count else { throw TLSFileError(part: .authorities, description: words) }
            warn(.authorityExpired, words)
        }
        guard expired < ends.count else {
            throw TLSFileError(part: .authorities, description: "\(settings.clientCA): every CA certificate has expired")
        }
        if expired > 0 {
            warn(.authorityExpired, "\(settings.clientCA): \(expired) of \(authorityDates.count) CA certificates have expired")
        }
        if Self.isReadableByAll(settings.privateKey) {
            warn(
                .privateKeyOpen,
                "\(settings.privateKey): everyone on this machine can read the private key; want mode 0600 or 0640")
        }
        self.warnings = warnings
        let own = credentials.dates?.timestamps.map {
            CertificateEnd(file: settings.certificate, use: .server, notAfter: $0.upperBound)
        }
        self.ends =
            (own.map { [$0] } ?? []) + ends.map { CertificateEnd(file: settings.clientCA, use: .callerCA, notAfter: $0) }
    }

    private static func read(_ path: String, _ part: TLSError.Part) throws(TLSFileError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(BoundedFileError) {
            bytes = try BoundedFile.read(path, atMost: sizeLimit, isRegular: true)
        } catch {
            throw TLSFileError(part: part, description: "\(path): the file \(error)")
        }
        guard !bytes.isEmpty else { throw TLSFileError(part: part, description: "\(path): the file is empty") }
        return bytes
    }

    private static func isReadableByAll(_ path: String) -> Bool {
        let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        return (mode ?? 0) & 0o004 != 0
    }
}

extension TLSSettings {
    package func path(of part: TLSError.Part) -> String {
        switch part {
        case .certificates: certificate
        case .privateKey: privateKey
        case .authorities: clientCA
        }
    }
}

extension TLSCredentials.Dates {
    /// Nil for dates that are the wrong way round.
    fileprivate var timestamps: ClosedRange<Timestamp>? {
        areReversed ? nil : Timestamp(unixSeconds: notBefore)...Timestamp(unixSeconds: notAfter)
    }

    /// Whether the end lies before the beginning: no handshake accepts such a certificate.
    fileprivate var areReversed: Bool { notAfter < notBefore }

    /// Both dates, to stand behind "the certificate".
    fileprivate var reversal: String {
        "ends \(Timestamp(unixSeconds: notAfter)), before it begins, \(Timestamp(unixSeconds: notBefore))"
    }
}

extension RPCPeerNames {
    /// The names of a verified certificate. None where it has no subject alternative name.
    package init(certificate: [UInt8]) throws(Rejection) {
        let names = try Certificate(der: certificate[...]).subjectAlternativeNames()
        self.init(uris: names?.uris ?? [], dnsNames: names?.dnsNames ?? [])
    }
}

extension TLSSettings {
    /// The section `tls`, its files read and judged.
    static func read(
        _ value: ConfigurationReader.Value, _ files: ConfigurationFiles, at now: Timestamp
    ) -> (settings: TLSSettings, warnings: [TLSFiles.Warning])? {
        let section = value.section()
        let certificate = section.required("certificate")
        let privateKey = section.required("private_key")
        let clientCA = section.required("client_ca")
        section.done()
        guard let certificatePath = certificate?.path(files),
            let keyPath = privateKey?.path(files), let authorityPath = clientCA?.path(files)
        else { return nil }
        let settings = TLSSettings(certificate: certificatePath, privateKey: keyPath, clientCA: authorityPath)
        do throws(TLSFileError) {
            return (settings, try TLSFiles(settings, at: now).warnings)
        } catch {
            let place =
                switch error.part {
                case .certificates: certificate
                case .privateKey: privateKey
                case .authorities: clientCA
                }
            place?.report(error.description)
            return nil
        }
    }
}
