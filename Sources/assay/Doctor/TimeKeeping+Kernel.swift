import AssayDoctor
import Foundation

extension InstallationFacts.TimeKeeping {
    /// What the kernel knows of its clock, by adjtimex(2); `nil` where it does not say.
    static var ofThisMachine: Self? {
        #if os(Linux)
            // Declared in <sys/timex.h>, which Swift's module of the C library does not have.
            guard let symbol = dlsym(nil, "adjtimex") else { return nil }
            typealias Adjust = @convention(c) (UnsafeMutableRawPointer) -> Int32
            let adjust = unsafeBitCast(symbol, to: Adjust.self)
            // struct timex has 208 bytes. `modes` (the first 4) is 0: nothing is adjusted.
            let time = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 16)
            defer { time.deallocate() }
            time.initializeMemory(as: UInt8.self, repeating: 0, count: 256)
            let state = adjust(time)
            guard state >= 0 else { return nil }
            // After `modes`, `offset` and `freq`: `maxerror`, in microseconds.
            let error = time.load(fromByteOffset: 24, as: Int.self)
            // TIME_ERROR: the clock is not synchronised.
            return state == 5 ? .unsynchronised : .synchronised(within: Int64(error / 1000))
        #else
            return nil
        #endif
    }
}
