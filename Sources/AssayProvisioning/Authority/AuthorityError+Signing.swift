import AssayCore
import AssaySigning

extension AuthorityError {
    /// A CA's key that cannot sign now.
    init(_ error: SigningError) { self = .unavailable(error.description) }
}
