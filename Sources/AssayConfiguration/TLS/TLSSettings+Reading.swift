import AssayCore
import AssayFramedRPC
import AssaySchemes

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
