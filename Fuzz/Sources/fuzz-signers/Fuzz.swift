import FuzzTargets

@c(LLVMFuzzerTestOneInput)
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzTarget.signers.run([UInt8](UnsafeBufferPointer(start: start, count: count)))
    return 0
}
