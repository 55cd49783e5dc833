package import CPKCS11
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A PKCS#11 module: the shared library of a token's maker, loaded into this process.
///
/// A module is loaded once and never unloaded. Libraries leave threads, destructors and thread-local data behind that point into their
/// code, C_Finalize does not promise to end them, and a call that hangs can return at any time: into nothing, if the library were gone.
package final class PKCS11Module: Sendable {
    let functions: PKCS11Functions
    private let state = Mutex(State())

    private struct State {
        var isInitialized = false
        /// Tokens that have a session, or are about to open one.
        var users = 0
    }

    /// The modules of this process, by the address of their function list: a library that is loaded under two names is one module.
    private static let loaded = Mutex<[UInt: PKCS11Module]>([:])

    private init(_ functions: PKCS11Functions) { self.functions = functions }

    /// Loads the library, or finds it loaded. Its code runs with the rights of this process.
    ///
    /// - Parameter path: absolute, so that no search path of the environment decides which code runs. Not writable by all users.
    /// - Throws: `module_unusable`.
    package static func load(_ path: String) throws(TokenError) -> PKCS11Module {
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
            throw TokenError(.moduleUnusable, "the path of the PKCS#11 module \(path) is not absolute")
        }
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw TokenError(.moduleUnusable, "the PKCS#11 module \(path): \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw TokenError(.moduleUnusable, "the PKCS#11 module \(path) is not a regular file")
        }
        guard status.st_mode & 0o002 == 0 else {
            throw TokenError(.moduleUnusable, "every user of this machine can write the PKCS#11 module \(path)")
        }
        guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            let why = dlerror().map { String(cString: $0) } ?? "unknown error"
            throw TokenError(.moduleUnusable, "the PKCS#11 module \(path) cannot be loaded: \(why)")
        }
        TokenThreads.endAtExit()
        guard let symbol = dlsym(library, "C_GetFunctionList") else {
            throw TokenError(.moduleUnusable, "\(path) is no PKCS#11 module: it has no function C_GetFunctionList")
        }
        let getFunctionList = unsafeBitCast(symbol, to: GetFunctionList.self)
        var list: UnsafeMutablePointer<CK_FUNCTION_LIST>?
        let code = ReturnCode(getFunctionList(&list))
        guard code == .ok, let list else {
            throw TokenError(.moduleUnusable, "C_GetFunctionList of \(path) returned \(code)", returned: code)
        }
        return try module(list, name: path)
    }

    private typealias GetFunctionList =
        @convention(c) (
            UnsafeMutablePointer<UnsafeMutablePointer<CK_FUNCTION_LIST>?>?
        ) -> CK_RV

    /// The module with a list of functions in this process.
    ///
    /// - Parameter name: for errors.
    package static func module(
        _ list: UnsafeMutablePointer<CK_FUNCTION_LIST>, name: String
    ) throws(TokenError) -> PKCS11Module {
        // Other versions have another list (§3.6).
        let version = list.pointee.version
        guard version.major == 2 || version.major == 3 else {
            throw TokenError(
                .moduleUnusable, "\(name) speaks PKCS#11 \(version.major).\(version.minor); want version 2 or 3")
        }
        guard let functions = PKCS11Functions(list.pointee) else {
            throw TokenError(.moduleUnusable, "the function list of \(name) has gaps")
        }
        let key = UInt(bitPattern: list)
        return loaded.withLock { loaded in
            if let known = loaded[key] { return known }
            let module = PKCS11Module(functions)
            loaded[key] = module
            return module
        }
    }

    /// Makes one more user of the module, and initialises it if necessary.
    ///
    /// - Parameter renewing: C_Finalize and C_Initialize, if there is no other user. Many modules look for tokens only then: SoftHSM,
    ///   whose folder went away and came back, works again only after C_Initialize.
    /// - Returns: true if the module was initialised by this call.
    func enter(renewing: Bool) throws(TokenError) -> Bool {
        let (code, isNew) = state.withLock { state -> (ReturnCode, Bool) in
            if state.isInitialized {
                guard renewing, state.users == 0 else {
                    state.users += 1
                    return (.ok, false)
                }
                // A module that cannot finalize says so at C_Initialize again.
                _ = functions.finalize(nil)
                state.isInitialized = false
            }
            var arguments = CK_C_INITIALIZE_ARGS()
            arguments.flags = CKF_OS_LOCKING_OK
            let code = ReturnCode(functions.initialize(&arguments))
            guard code == .ok || code == .cryptokiAlreadyInitialized else { return (code, false) }
            state.isInitialized = true
            state.users += 1
            return (.ok, true)
        }
        guard code == .ok else { throw TokenError(returned: code, from: "C_Initialize") }
        return isNew
    }

    /// Ends a use. The user has no session any more.
    func leave() { state.withLock { $0.users -= 1 } }
}
