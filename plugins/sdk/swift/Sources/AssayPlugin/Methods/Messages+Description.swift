internal import SwiftProtobuf

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Assay_Plugin_V1_Format {
    init(_ format: Format) {
        self.init()
        name = Data(format.name.utf8)
        purposes = format.purposes.map(\.rawValue).sorted().compactMap { Assay_Plugin_V1_Purpose(rawValue: $0) }
        sizeLimit = UInt32(clamping: format.sizeLimit)
        freshness = Assay_Plugin_V1_Freshness(rawValue: format.freshness.rawValue) ?? .unspecified
        locates = format.locates
        prepares = format.prepares
        claims = format.claims.map { claim in
            .with {
                $0.name = Data(claim.name.utf8)
                $0.kind = Assay_Plugin_V1_ClaimKind(rawValue: claim.kind.rawValue) ?? .unspecified
                $0.meaning = claim.meaning
            }
        }
        codes = format.codes.map { code in
            .with {
                $0.code = Data(code.code.rawValue.utf8)
                $0.retry = Assay_Plugin_V1_Retry(rawValue: code.retry.rawValue) ?? .unspecified
                $0.meaning = code.meaning
                $0.vendorCode = code.vendorCode
            }
        }
        measures = format.measures.map { Data($0.utf8) }
    }
}

extension Assay_Plugin_V1_ConfigurationKey {
    init(_ key: ConfigurationKey) {
        self.init()
        name = Data(key.name.utf8)
        kind = Assay_Plugin_V1_ValueKind(rawValue: key.kind.rawValue) ?? .unspecified
        required = key.required
        meaning = key.meaning
    }
}
