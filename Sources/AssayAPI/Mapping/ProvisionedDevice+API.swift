package import AssayCore
import AssayProtobuf

/// Writes `assay.v1.ProvisionDeviceResponse` directly from the types of AssayCore. The field numbers are those of
/// `proto/assay/v1/provisioning.proto`.
extension ProvisionedDevice {
    /// The serialised message.
    package func serialized() -> [UInt8] {
        // Each key takes two bytes more, and 4096 bytes are enough for certificates and the rest.
        let keys = tables.reduce(0) { $0 + $1.keys.count / KeyTables.keyLength * (KeyTables.keyLength + 2) }
        return ProtobufWriter.message(capacity: keys + 4096) { writer in
            writer.write(1, certificate.der)
            for certificate in chain { writer.writeAlways(2, certificate) }
            for table in tables { writer.writeMessage(3) { $0.write(table) } }
            let numbers = writer.begin(4)
            for table in tables { writer.writePacked(Int64(table.number)) }
            writer.finish(numbers)
            writer.write(5, secret)
            writer.write(6, privateKey)
            writer.write(7, certificate.device.bytes)
            writer.write(8, repeated)
        }
    }
}

extension ProtobufWriter {
    fileprivate mutating func write(_ table: KeyTable) {
        for start in stride(from: 0, to: table.keys.count, by: KeyTables.keyLength) {
            writeAlways(1, table.keys[start..<start + KeyTables.keyLength])
        }
    }
}
