import CPKCS11

/// The functions of a module that Assay calls.
///
/// Unchecked: they are pointers into code that is never unloaded, and the module locks for itself (CKF_OS_LOCKING_OK).
struct PKCS11Functions: @unchecked Sendable {
    let initialize: @convention(c) (UnsafeMutableRawPointer?) -> CK_RV
    let finalize: @convention(c) (UnsafeMutableRawPointer?) -> CK_RV
    let getSlotList: @convention(c) (CK_BBOOL, UnsafeMutablePointer<CK_SLOT_ID>?, UnsafeMutablePointer<CK_ULONG>?) -> CK_RV
    let getTokenInfo: @convention(c) (CK_SLOT_ID, UnsafeMutablePointer<CK_TOKEN_INFO>?) -> CK_RV
    let openSession:
        @convention(c) (CK_SLOT_ID, CK_FLAGS, UnsafeMutableRawPointer?, CK_NOTIFY?, UnsafeMutablePointer<CK_SESSION_HANDLE>?)
            -> CK_RV
    let closeSession: @convention(c) (CK_SESSION_HANDLE) -> CK_RV
    let login: @convention(c) (CK_SESSION_HANDLE, CK_USER_TYPE, UnsafeMutablePointer<CK_BYTE>?, CK_ULONG) -> CK_RV
    let destroyObject: @convention(c) (CK_SESSION_HANDLE, CK_OBJECT_HANDLE) -> CK_RV
    let getAttributeValue:
        @convention(c) (CK_SESSION_HANDLE, CK_OBJECT_HANDLE, UnsafeMutablePointer<CK_ATTRIBUTE>?, CK_ULONG) -> CK_RV
    let findObjectsInit: @convention(c) (CK_SESSION_HANDLE, UnsafeMutablePointer<CK_ATTRIBUTE>?, CK_ULONG) -> CK_RV
    let findObjects:
        @convention(c) (
            CK_SESSION_HANDLE, UnsafeMutablePointer<CK_OBJECT_HANDLE>?, CK_ULONG, UnsafeMutablePointer<CK_ULONG>?
        ) -> CK_RV
    let findObjectsFinal: @convention(c) (CK_SESSION_HANDLE) -> CK_RV
    let signInit: @convention(c) (CK_SESSION_HANDLE, UnsafeMutablePointer<CK_MECHANISM>?, CK_OBJECT_HANDLE) -> CK_RV
    let sign:
        @convention(c) (
            CK_SESSION_HANDLE, UnsafeMutablePointer<CK_BYTE>?, CK_ULONG, UnsafeMutablePointer<CK_BYTE>?,
            UnsafeMutablePointer<CK_ULONG>?
        ) -> CK_RV
    let generateKeyPair:
        @convention(c) (
            CK_SESSION_HANDLE, UnsafeMutablePointer<CK_MECHANISM>?, UnsafeMutablePointer<CK_ATTRIBUTE>?, CK_ULONG,
            UnsafeMutablePointer<CK_ATTRIBUTE>?, CK_ULONG, UnsafeMutablePointer<CK_OBJECT_HANDLE>?,
            UnsafeMutablePointer<CK_OBJECT_HANDLE>?
        ) -> CK_RV

    /// `nil` if the list lacks a function: a module points every function at code, if only to say that it is not supported (§3.6).
    init?(_ list: CK_FUNCTION_LIST) {
        guard let initialize = list.C_Initialize, let finalize = list.C_Finalize, let getSlotList = list.C_GetSlotList,
            let getTokenInfo = list.C_GetTokenInfo,
            let openSession = list.C_OpenSession, let closeSession = list.C_CloseSession, let login = list.C_Login,
            let destroyObject = list.C_DestroyObject, let getAttributeValue = list.C_GetAttributeValue,
            let findObjectsInit = list.C_FindObjectsInit, let findObjects = list.C_FindObjects,
            let findObjectsFinal = list.C_FindObjectsFinal, let signInit = list.C_SignInit, let sign = list.C_Sign,
            let generateKeyPair = list.C_GenerateKeyPair
        else { return nil }
        (self.initialize, self.finalize, self.getSlotList) = (initialize, finalize, getSlotList)
        self.getTokenInfo = getTokenInfo
        (self.openSession, self.closeSession, self.login) = (openSession, closeSession, login)
        (self.destroyObject, self.getAttributeValue) = (destroyObject, getAttributeValue)
        (self.findObjectsInit, self.findObjects, self.findObjectsFinal) = (findObjectsInit, findObjects, findObjectsFinal)
        (self.signInit, self.sign, self.generateKeyPair) = (signInit, sign, generateKeyPair)
    }
}
