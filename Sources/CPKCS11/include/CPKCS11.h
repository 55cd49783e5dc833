/* The part of PKCS#11 ("Cryptoki") that Assay calls, as it crosses the boundary to a module: types, constants, the function list.
 *
 * Written from "PKCS #11 Cryptographic Token Interface Base Specification Version 2.40" (OASIS), whose names it keeps. The layout is
 * that of every 2.x version and of the 2.40 list that a 3.x module returns from C_GetFunctionList. On Unix structures have the
 * compiler's natural alignment (§2.1).
 *
 * Functions that Assay does not call are pointers of an unspecified function type: they hold their place in the list.
 */
#ifndef ASSAY_CPKCS11_H
#define ASSAY_CPKCS11_H

/* §3.1: general data types. */
typedef unsigned char CK_BYTE;
typedef CK_BYTE CK_BBOOL;
typedef unsigned long CK_ULONG;
typedef CK_ULONG CK_FLAGS;
typedef CK_ULONG CK_RV;
typedef CK_ULONG CK_SLOT_ID;
typedef CK_ULONG CK_SESSION_HANDLE;
typedef CK_ULONG CK_OBJECT_HANDLE;
typedef CK_ULONG CK_OBJECT_CLASS;
typedef CK_ULONG CK_KEY_TYPE;
typedef CK_ULONG CK_ATTRIBUTE_TYPE;
typedef CK_ULONG CK_MECHANISM_TYPE;
typedef CK_ULONG CK_USER_TYPE;

typedef struct CK_VERSION {
    CK_BYTE major;
    CK_BYTE minor;
} CK_VERSION;

/* §3.2: texts are UTF-8, padded with blanks, and not terminated. */
typedef struct CK_TOKEN_INFO {
    CK_BYTE label[32];
    CK_BYTE manufacturerID[32];
    CK_BYTE model[16];
    CK_BYTE serialNumber[16];
    CK_FLAGS flags;
    CK_ULONG ulMaxSessionCount;
    CK_ULONG ulSessionCount;
    CK_ULONG ulMaxRwSessionCount;
    CK_ULONG ulRwSessionCount;
    CK_ULONG ulMaxPinLen;
    CK_ULONG ulMinPinLen;
    CK_ULONG ulTotalPublicMemory;
    CK_ULONG ulFreePublicMemory;
    CK_ULONG ulTotalPrivateMemory;
    CK_ULONG ulFreePrivateMemory;
    CK_VERSION hardwareVersion;
    CK_VERSION firmwareVersion;
    CK_BYTE utcTime[16];
} CK_TOKEN_INFO;

/* §3.4, §3.5 */
typedef struct CK_ATTRIBUTE {
    CK_ATTRIBUTE_TYPE type;
    void *pValue;
    CK_ULONG ulValueLen;
} CK_ATTRIBUTE;

typedef struct CK_MECHANISM {
    CK_MECHANISM_TYPE mechanism;
    void *pParameter;
    CK_ULONG ulParameterLen;
} CK_MECHANISM;

/* §3.7: all callbacks are NULL where the module locks by the system's means (CKF_OS_LOCKING_OK). */
typedef struct CK_C_INITIALIZE_ARGS {
    CK_RV (*CreateMutex)(void **mutex);
    CK_RV (*DestroyMutex)(void *mutex);
    CK_RV (*LockMutex)(void *mutex);
    CK_RV (*UnlockMutex)(void *mutex);
    CK_FLAGS flags;
    void *pReserved;
} CK_C_INITIALIZE_ARGS;

typedef CK_RV (*CK_NOTIFY)(CK_SESSION_HANDLE session, CK_ULONG event, void *application);
typedef CK_RV (*CK_UNCALLED)(void);

/* §3.6, §5: the functions in their order. */
typedef struct CK_FUNCTION_LIST CK_FUNCTION_LIST;
typedef CK_RV (*CK_C_GetFunctionList)(CK_FUNCTION_LIST **list);

struct CK_FUNCTION_LIST {
    CK_VERSION version;

    /* §5.4: general purpose */
    CK_RV (*C_Initialize)(void *arguments);
    CK_RV (*C_Finalize)(void *reserved);
    CK_UNCALLED C_GetInfo;
    CK_C_GetFunctionList C_GetFunctionList;

    /* §5.5: slots and tokens */
    CK_RV (*C_GetSlotList)(CK_BBOOL tokenPresent, CK_SLOT_ID *slots, CK_ULONG *count);
    CK_UNCALLED C_GetSlotInfo;
    CK_RV (*C_GetTokenInfo)(CK_SLOT_ID slot, CK_TOKEN_INFO *info);
    CK_UNCALLED C_GetMechanismList;
    CK_UNCALLED C_GetMechanismInfo;
    CK_UNCALLED C_InitToken;
    CK_UNCALLED C_InitPIN;
    CK_UNCALLED C_SetPIN;

    /* §5.6: sessions */
    CK_RV (*C_OpenSession)(CK_SLOT_ID slot, CK_FLAGS flags, void *application, CK_NOTIFY notify, CK_SESSION_HANDLE *session);
    CK_RV (*C_CloseSession)(CK_SESSION_HANDLE session);
    CK_UNCALLED C_CloseAllSessions;
    CK_UNCALLED C_GetSessionInfo;
    CK_UNCALLED C_GetOperationState;
    CK_UNCALLED C_SetOperationState;
    CK_RV (*C_Login)(CK_SESSION_HANDLE session, CK_USER_TYPE user, CK_BYTE *pin, CK_ULONG pinLength);
    CK_UNCALLED C_Logout;

    /* §5.7: objects */
    CK_UNCALLED C_CreateObject;
    CK_UNCALLED C_CopyObject;
    CK_RV (*C_DestroyObject)(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object);
    CK_UNCALLED C_GetObjectSize;
    CK_RV (*C_GetAttributeValue)(
        CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *attributes, CK_ULONG count);
    CK_UNCALLED C_SetAttributeValue;
    CK_RV (*C_FindObjectsInit)(CK_SESSION_HANDLE session, CK_ATTRIBUTE *attributes, CK_ULONG count);
    CK_RV (*C_FindObjects)(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE *objects, CK_ULONG limit, CK_ULONG *count);
    CK_RV (*C_FindObjectsFinal)(CK_SESSION_HANDLE session);

    /* §5.8 to §5.10: encryption, decryption, digests */
    CK_UNCALLED C_EncryptInit;
    CK_UNCALLED C_Encrypt;
    CK_UNCALLED C_EncryptUpdate;
    CK_UNCALLED C_EncryptFinal;
    CK_UNCALLED C_DecryptInit;
    CK_UNCALLED C_Decrypt;
    CK_UNCALLED C_DecryptUpdate;
    CK_UNCALLED C_DecryptFinal;
    CK_UNCALLED C_DigestInit;
    CK_UNCALLED C_Digest;
    CK_UNCALLED C_DigestUpdate;
    CK_UNCALLED C_DigestKey;
    CK_UNCALLED C_DigestFinal;

    /* §5.11: signatures */
    CK_RV (*C_SignInit)(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key);
    CK_RV (*C_Sign)(
        CK_SESSION_HANDLE session, CK_BYTE *data, CK_ULONG dataLength, CK_BYTE *signature, CK_ULONG *signatureLength);
    CK_UNCALLED C_SignUpdate;
    CK_UNCALLED C_SignFinal;
    CK_UNCALLED C_SignRecoverInit;
    CK_UNCALLED C_SignRecover;

    /* §5.12: verification */
    CK_UNCALLED C_VerifyInit;
    CK_UNCALLED C_Verify;
    CK_UNCALLED C_VerifyUpdate;
    CK_UNCALLED C_VerifyFinal;
    CK_UNCALLED C_VerifyRecoverInit;
    CK_UNCALLED C_VerifyRecover;

    /* §5.13: dual functions */
    CK_UNCALLED C_DigestEncryptUpdate;
    CK_UNCALLED C_DecryptDigestUpdate;
    CK_UNCALLED C_SignEncryptUpdate;
    CK_UNCALLED C_DecryptVerifyUpdate;

    /* §5.14: keys */
    CK_UNCALLED C_GenerateKey;
    CK_RV (*C_GenerateKeyPair)(
        CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_ATTRIBUTE *publicAttributes, CK_ULONG publicCount,
        CK_ATTRIBUTE *privateAttributes, CK_ULONG privateCount, CK_OBJECT_HANDLE *publicKey, CK_OBJECT_HANDLE *privateKey);
    CK_UNCALLED C_WrapKey;
    CK_UNCALLED C_UnwrapKey;
    CK_UNCALLED C_DeriveKey;

    /* §5.15, §5.16: random numbers, parallel functions; since 2.01 */
    CK_UNCALLED C_SeedRandom;
    CK_UNCALLED C_GenerateRandom;
    CK_UNCALLED C_GetFunctionStatus;
    CK_UNCALLED C_CancelFunction;
    CK_UNCALLED C_WaitForSlotEvent;
};

/* A length that the module does not tell (§3.1), such as that of a sensitive attribute. */
static const CK_ULONG CK_UNAVAILABLE_INFORMATION = ~0UL;

/* C_Initialize */
static const CK_FLAGS CKF_OS_LOCKING_OK = 0x00000002UL;
/* CK_TOKEN_INFO */
static const CK_FLAGS CKF_TOKEN_INITIALIZED = 0x00000400UL;
static const CK_FLAGS CKF_USER_PIN_FINAL_TRY = 0x00020000UL;
static const CK_FLAGS CKF_USER_PIN_LOCKED = 0x00040000UL;
/* C_OpenSession */
static const CK_FLAGS CKF_RW_SESSION = 0x00000002UL;
static const CK_FLAGS CKF_SERIAL_SESSION = 0x00000004UL;

static const CK_USER_TYPE CKU_USER = 1UL;
static const CK_OBJECT_CLASS CKO_PUBLIC_KEY = 0x00000002UL;
static const CK_OBJECT_CLASS CKO_PRIVATE_KEY = 0x00000003UL;
static const CK_KEY_TYPE CKK_EC = 0x00000003UL;
static const CK_MECHANISM_TYPE CKM_EC_KEY_PAIR_GEN = 0x00001040UL;
static const CK_MECHANISM_TYPE CKM_ECDSA = 0x00001041UL;
/* Since version 3.0. */
static const CK_KEY_TYPE CKK_EC_EDWARDS = 0x00000040UL;
static const CK_MECHANISM_TYPE CKM_EC_EDWARDS_KEY_PAIR_GEN = 0x00001055UL;
static const CK_MECHANISM_TYPE CKM_EDDSA = 0x00001057UL;

static const CK_ATTRIBUTE_TYPE CKA_CLASS = 0x00000000UL;
static const CK_ATTRIBUTE_TYPE CKA_TOKEN = 0x00000001UL;
static const CK_ATTRIBUTE_TYPE CKA_PRIVATE = 0x00000002UL;
static const CK_ATTRIBUTE_TYPE CKA_LABEL = 0x00000003UL;
static const CK_ATTRIBUTE_TYPE CKA_VALUE = 0x00000011UL;
static const CK_ATTRIBUTE_TYPE CKA_KEY_TYPE = 0x00000100UL;
static const CK_ATTRIBUTE_TYPE CKA_ID = 0x00000102UL;
static const CK_ATTRIBUTE_TYPE CKA_SENSITIVE = 0x00000103UL;
static const CK_ATTRIBUTE_TYPE CKA_SIGN = 0x00000108UL;
static const CK_ATTRIBUTE_TYPE CKA_VERIFY = 0x0000010AUL;
static const CK_ATTRIBUTE_TYPE CKA_DERIVE = 0x0000010CUL;
static const CK_ATTRIBUTE_TYPE CKA_EXTRACTABLE = 0x00000162UL;
static const CK_ATTRIBUTE_TYPE CKA_LOCAL = 0x00000163UL;
static const CK_ATTRIBUTE_TYPE CKA_NEVER_EXTRACTABLE = 0x00000164UL;
static const CK_ATTRIBUTE_TYPE CKA_ALWAYS_SENSITIVE = 0x00000165UL;
static const CK_ATTRIBUTE_TYPE CKA_EC_PARAMS = 0x00000180UL;
static const CK_ATTRIBUTE_TYPE CKA_EC_POINT = 0x00000181UL;
static const CK_ATTRIBUTE_TYPE CKA_ALWAYS_AUTHENTICATE = 0x00000202UL;

#endif
