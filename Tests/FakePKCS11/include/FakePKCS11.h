/* A PKCS#11 module for tests: one token with one P-256 key, which fails, hangs, lies, goes away and comes back as it is told.
 * Its functions may be called from any thread; the tests that use it run one after the other. */
#ifndef ASSAY_FAKE_PKCS11_H
#define ASSAY_FAKE_PKCS11_H

#include "CPKCS11.h"

typedef enum FakeFunction {
    FakeInitialize, FakeFinalize, FakeGetSlotList, FakeGetTokenInfo, FakeOpenSession, FakeCloseSession, FakeLogin,
    FakeDestroyObject, FakeGetAttributeValue, FakeFindObjectsInit, FakeFindObjects, FakeFindObjectsFinal, FakeSignInit, FakeSign,
    FakeGenerateKeyPair, FakeFunctionCount
} FakeFunction;

/* Signs a digest of 32 bytes: 64 bytes r || s. */
typedef CK_RV (*FakeSigner)(const CK_BYTE *digest, CK_BYTE *signature);

/* The module's function list; the same in the whole process. */
CK_FUNCTION_LIST *fake_function_list(void);
/* As at the start: one token "fake" with the serial number "F001" and the PIN "2468", and its key "ca" with the id 01. Ends no session. */
void fake_reset(const CK_BYTE *point65, FakeSigner signer);
/* The function returns this code until it is set to 0 again. */
void fake_fail(FakeFunction function, CK_RV code);
/* The function returns this code at its next call only. */
void fake_fail_once(FakeFunction function, CK_RV code);
/* Calls of the function do not return until fake_release. */
void fake_hang(FakeFunction function);
void fake_release(void);
/* How often the function was called since the reset. */
unsigned long fake_calls(FakeFunction function);
/* The token is pulled: its sessions end. */
void fake_remove(void);
/* The token is back. renewed: it is seen only after C_Finalize and C_Initialize. */
void fake_insert(int renewed);
/* How many slots have a token with the label and serial number. */
void fake_set_tokens(unsigned long count);
/* Wrong PINs since the last right one; the third locks the token. */
unsigned long fake_wrong_pins(void);
void fake_set_pin(const char *pin);
/* The private key says that it is extractable. */
void fake_set_extractable(int extractable);
/* Whether the token shows the public key object. */
void fake_set_public_key(int visible);
/* How many private keys have the label and id. */
void fake_set_keys(unsigned long count);
/* A length that C_GetAttributeValue, C_GetSlotList, C_FindObjects and C_Sign give instead of the right one; 0: the right one. */
void fake_lie(FakeFunction function, unsigned long length);
/* Sessions that are open. */
unsigned long fake_sessions(void);

#endif
