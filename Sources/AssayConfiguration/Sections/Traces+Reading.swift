import AssayFiles
import AssaySchemes
import AssayTraceExport
import AssayTracing

extension TraceExportSettings {
    /// A file of roots larger than this is none, in bytes.
    private static let rootsLimit = 1 << 20

    /// The section `traces`; `nil` if it is not there, or names no usable endpoint.
    init?(reading value: ConfigurationReader.Value?, _ files: ConfigurationFiles) {
        guard let section = value?.section() else { return nil }
        let endpoint = section.required("endpoint")
        var rule = Tracer.Rule()
        if let share = section.optional("sample")?.share() { rule.share = share }
        if let rate = section.optional("parents_per_second")?.integer(in: 0...100_000) { rule.parentsPerSecond = rate }
        let headers = section.optional("headers_file")?.headers(files)
        let trust = section.optional("collector_ca")
        let roots = trust?.collectorRoots(files, atMost: Self.rootsLimit)
        section.done()
        guard let endpoint, let address = endpoint.traceEndpoint() else { return nil }
        if !address.isEncrypted { trust?.report("it says nothing where \"endpoint\" is plain HTTP") }
        self.init(endpoint: address, rule: rule, headers: headers ?? [], roots: roots ?? [])
    }

    /// What is traced, and where to, as a sentence.
    package var summary: String {
        let share = rule.share == 0 ? "" : ", and \(rule.share * 100) % of the other calls"
        return "exports traces to \(endpoint.url): calls of sampled traces, up to \(rule.parentsPerSecond) a second" + share
    }
}

extension ConfigurationReader.Value {
    fileprivate func traceEndpoint() -> TraceEndpoint? {
        guard let text = text() else { return nil }
        do throws(TraceEndpoint.Problem) {
            return try TraceEndpoint(text)
        } catch {
            switch error {
            case .form:
                report("want https://host, with or without a port and a path, have \"\(text.prefix(60))\"")
            case .unencrypted:
                report("traces would go to another machine unencrypted; want https, or http on loopback")
            }
            return nil
        }
    }

    /// Of a file that only the daemon's user can read. Its content stands in no message.
    fileprivate func headers(_ files: ConfigurationFiles) -> [TraceExportSettings.Header]? {
        guard let path = path(files) else { return nil }
        do throws(ProtectedFileError) {
            // One byte more than may be: a longer file is not read in part.
            let bytes = try ProtectedFile.read(path, atMost: TraceExportSettings.Header.fileLimit + 1)
            guard bytes.count <= TraceExportSettings.Header.fileLimit,
                let headers = String(validating: bytes, as: UTF8.self).flatMap({ TraceExportSettings.Header.list($0) })
            else {
                report(
                    "the file \(path) has no headers: want up to 16 lines \"Name: value\", without those that the exporter sets itself"
                )
                return nil
            }
            return headers
        } catch {
            report("the file \(path) \(error.description)")
            return nil
        }
    }

    fileprivate func collectorRoots(_ files: ConfigurationFiles, atMost limit: Int) -> [UInt8]? {
        guard let path = path(files) else { return nil }
        do throws(BoundedFileError) {
            let roots = try BoundedFile.read(path, atMost: limit, isRegular: true)
            guard SpanExporter.canTrust(roots) else {
                report("the file \(path) holds no certificates in PEM")
                return nil
            }
            return roots
        } catch {
            report("the file \(path) \(error)")
            return nil
        }
    }
}
