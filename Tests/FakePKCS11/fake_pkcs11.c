#include "FakePKCS11.h"

#include <pthread.h>
#include <string.h>

enum { PRIVATE_KEY = 10, PUBLIC_KEY = 50, SESSIONS = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static struct {
    CK_RV fails[FakeFunctionCount], fails_once[FakeFunctionCount];
    unsigned long calls[FakeFunctionCount], lies[FakeFunctionCount];
    int hangs[FakeFunctionCount];
    int present, extractable, public_key;
    unsigned long tokens, keys, wrong_pins;
    char pin[32];
    CK_BYTE point[65];
    FakeSigner signer;
} fake;

/* What a reset of the test's wishes does not touch. */
static int initialized, logged_in, seen = 1;
static int sessions[SESSIONS];
static CK_SESSION_HANDLE next_session = 1;
static CK_OBJECT_HANDLE found[64];
static unsigned long found_count, found_next;
static CK_OBJECT_HANDLE signing;

/* Called under the lock, which it releases while it hangs. */
static CK_RV enter(FakeFunction function) {
    pthread_mutex_lock(&lock);
    fake.calls[function]++;
    while (fake.hangs[function]) pthread_cond_wait(&changed, &lock);
    CK_RV code = fake.fails_once[function];
    fake.fails_once[function] = 0;
    if (code == 0) code = fake.fails[function];
    if (code == 0 && !initialized && function != FakeInitialize) code = 0x190;
    return code;
}

static CK_RV leave(CK_RV code) {
    pthread_mutex_unlock(&lock);
    return code;
}

static int is_open(CK_SESSION_HANDLE session) {
    for (int i = 0; i < SESSIONS; i++) if (sessions[i] == (int)session) return session != 0;
    return 0;
}

static int is_there(void) { return fake.present && seen; }

static void end_sessions(void) {
    memset(sessions, 0, sizeof sessions);
    logged_in = 0;
}

static CK_RV initialize(void *arguments) {
    CK_RV code = enter(FakeInitialize);
    if (code) return leave(code);
    if (initialized) return leave(0x191);
    CK_C_INITIALIZE_ARGS *given = arguments;
    if (!given || !(given->flags & CKF_OS_LOCKING_OK)) return leave(0x07);
    initialized = 1;
    seen = 1;
    return leave(0);
}

static CK_RV finalize(void *reserved) {
    (void)reserved;
    CK_RV code = enter(FakeFinalize);
    if (code) return leave(code);
    initialized = 0;
    end_sessions();
    return leave(0);
}

static CK_RV get_slot_list(CK_BBOOL present, CK_SLOT_ID *slots, CK_ULONG *count) {
    (void)present;
    CK_RV code = enter(FakeGetSlotList);
    if (code) return leave(code);
    CK_ULONG known = is_there() ? fake.tokens : 0;
    if (slots) {
        if (*count < known) return leave(0x150);
        for (CK_ULONG i = 0; i < known; i++) slots[i] = 70 + i;
    }
    *count = slots && fake.lies[FakeGetSlotList] ? fake.lies[FakeGetSlotList] : known;
    return leave(0);
}

static CK_RV get_token_info(CK_SLOT_ID slot, CK_TOKEN_INFO *info) {
    CK_RV code = enter(FakeGetTokenInfo);
    if (code) return leave(code);
    if (!is_there()) return leave(0xE0);
    if (slot < 70 || slot >= 70 + fake.tokens) return leave(0x03);
    memset(info, ' ', sizeof *info);
    memcpy(info->label, "fake", 4);
    memcpy(info->serialNumber, "F001", 4);
    info->flags = CKF_TOKEN_INITIALIZED;
    if (fake.wrong_pins == 2) info->flags |= CKF_USER_PIN_FINAL_TRY;
    if (fake.wrong_pins > 2) info->flags |= CKF_USER_PIN_LOCKED;
    return leave(0);
}

static CK_RV open_session(CK_SLOT_ID slot, CK_FLAGS flags, void *application, CK_NOTIFY notify, CK_SESSION_HANDLE *session) {
    (void)slot; (void)application; (void)notify;
    CK_RV code = enter(FakeOpenSession);
    if (code) return leave(code);
    if (!is_there()) return leave(0xE0);
    if (!(flags & CKF_SERIAL_SESSION)) return leave(0xB4);
    for (int i = 0; i < SESSIONS; i++) {
        if (sessions[i] == 0) {
            sessions[i] = (int)next_session++;
            *session = (CK_SESSION_HANDLE)sessions[i];
            return leave(0);
        }
    }
    return leave(0xB1);
}

static CK_RV close_session(CK_SESSION_HANDLE session) {
    CK_RV code = enter(FakeCloseSession);
    if (code) return leave(code);
    if (!is_open(session)) return leave(0xB3);
    int others = 0;
    for (int i = 0; i < SESSIONS; i++) {
        if (sessions[i] == (int)session) sessions[i] = 0;
        others += sessions[i] != 0;
    }
    if (!others) logged_in = 0;
    return leave(0);
}

static CK_RV login(CK_SESSION_HANDLE session, CK_USER_TYPE user, CK_BYTE *pin, CK_ULONG length) {
    CK_RV code = enter(FakeLogin);
    if (code) return leave(code);
    if (!is_open(session)) return leave(0xB3);
    if (user != CKU_USER) return leave(0x103);
    if (logged_in) return leave(0x100);
    if (fake.wrong_pins > 2) return leave(0xA4);
    if (length != strlen(fake.pin) || memcmp(pin, fake.pin, length)) {
        fake.wrong_pins++;
        return leave(0xA0);
    }
    fake.wrong_pins = 0;
    logged_in = 1;
    return leave(0);
}

static CK_RV destroy_object(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object) {
    (void)object;
    CK_RV code = enter(FakeDestroyObject);
    if (code) return leave(code);
    if (!is_open(session)) return leave(0xB3);
    return leave(0);
}

static CK_RV give(CK_ATTRIBUTE *attribute, const void *value, CK_ULONG length) {
    if (attribute->ulValueLen < length) {
        attribute->ulValueLen = CK_UNAVAILABLE_INFORMATION;
        return 0x150;
    }
    memcpy(attribute->pValue, value, length);
    attribute->ulValueLen = fake.lies[FakeGetAttributeValue] ? fake.lies[FakeGetAttributeValue] : length;
    return 0;
}

static CK_RV get_attribute_value(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *attributes, CK_ULONG count) {
    static const CK_BYTE curve[] = {0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07};
    CK_RV code = enter(FakeGetAttributeValue);
    if (code) return leave(code);
    if (!is_open(session)) return leave(0xB3);
    if (count != 1 || object < PRIVATE_KEY) return leave(0x82);
    int is_private = object < PUBLIC_KEY;
    CK_BBOOL yes = 1, no = 0, extractable = (CK_BBOOL)fake.extractable, kept = !fake.extractable;
    CK_ULONG type = CKK_EC;
    CK_BYTE point[67] = {0x04, 65};
    memcpy(point + 2, fake.point, 65);
    switch (attributes->type) {
    case 0x100: return leave(give(attributes, &type, sizeof type));
    case 0x003: return leave(give(attributes, "ca", 2));
    case 0x102: return leave(give(attributes, "\1", 1));
    }
    if (is_private) {
        switch (attributes->type) {
        case 0x103: case 0x165: case 0x163: case 0x108: return leave(give(attributes, &yes, 1));
        case 0x202: return leave(give(attributes, &no, 1));
        case 0x162: return leave(give(attributes, &extractable, 1));
        case 0x164: return leave(give(attributes, &kept, 1));
        }
    } else {
        switch (attributes->type) {
        case 0x180: return leave(give(attributes, curve, sizeof curve));
        case 0x181: return leave(give(attributes, point, sizeof point));
        }
    }
    attributes->ulValueLen = CK_UNAVAILABLE_INFORMATION;
    return leave(0x12);
}

static CK_RV find_objects_init(CK_SESSION_HANDLE session, CK_ATTRIBUTE *attributes, CK_ULONG count) {
    CK_RV code = enter(FakeFindObjectsInit);
    if (code) return leave(code);
    if (!is_open(session)) return leave(0xB3);
    CK_ULONG kind = 0;
    int matches = 1;
    for (CK_ULONG i = 0; i < count; i++) {
        const CK_ATTRIBUTE *wanted = &attributes[i];
        if (wanted->type == CKA_CLASS) memcpy(&kind, wanted->pValue, sizeof kind);
        if (wanted->type == CKA_LABEL) matches &= wanted->ulValueLen == 2 && !memcmp(wanted->pValue, "ca", 2);
        if (wanted->type == CKA_ID) matches &= wanted->ulValueLen == 1 && !memcmp(wanted->pValue, "\1", 1);
    }
    found_count = found_next = 0;
    if (matches && kind == CKO_PRIVATE_KEY && logged_in)
        for (; found_count < fake.keys; found_count++) found[found_count] = PRIVATE_KEY + found_count;
    if (matches && kind == CKO_PUBLIC_KEY && fake.public_key) found[found_count++] = PUBLIC_KEY;
    return leave(0);
}

static CK_RV find_objects(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE *objects, CK_ULONG limit, CK_ULONG *count) {
    CK_RV code = enter(FakeFindObjects);
    if (code) return leave(code);
    if (!is_open(session)) return leave(0xB3);
    CK_ULONG given = 0;
    while (given < limit && found_next < found_count) objects[given++] = found[found_next++];
    *count = fake.lies[FakeFindObjects] ? fake.lies[FakeFindObjects] : given;
    return leave(0);
}

static CK_RV find_objects_final(CK_SESSION_HANDLE session) {
    CK_RV code = enter(FakeFindObjectsFinal);
    if (code) return leave(code);
    return leave(is_open(session) ? 0 : 0xB3);
}

static CK_RV sign_init(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key) {
    CK_RV code = enter(FakeSignInit);
    if (code) return leave(code);
    if (!is_open(session)) return leave(0xB3);
    if (!logged_in) return leave(0x101);
    if (mechanism->mechanism != CKM_ECDSA) return leave(0x70);
    if (key < PRIVATE_KEY || key >= PUBLIC_KEY) return leave(0x60);
    signing = key;
    return leave(0);
}

static CK_RV sign(CK_SESSION_HANDLE session, CK_BYTE *data, CK_ULONG length, CK_BYTE *signature, CK_ULONG *signature_length) {
    CK_RV code = enter(FakeSign);
    if (code) return leave(code);
    if (!is_open(session)) return leave(0xB3);
    if (!signing) return leave(0x91);
    signing = 0;
    if (length != 32) return leave(0x21);
    if (*signature_length < 64) return leave(0x150);
    code = fake.signer(data, signature);
    *signature_length = fake.lies[FakeSign] ? fake.lies[FakeSign] : 64;
    return leave(code);
}

static CK_RV generate_key_pair(
    CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_ATTRIBUTE *public_attributes, CK_ULONG public_count,
    CK_ATTRIBUTE *private_attributes, CK_ULONG private_count, CK_OBJECT_HANDLE *public_key, CK_OBJECT_HANDLE *private_key) {
    (void)mechanism; (void)public_attributes; (void)public_count; (void)private_attributes; (void)private_count;
    CK_RV code = enter(FakeGenerateKeyPair);
    if (code) return leave(code);
    if (!is_open(session)) return leave(0xB3);
    fake.keys = 1;
    *public_key = PUBLIC_KEY;
    *private_key = PRIVATE_KEY;
    return leave(0);
}

CK_FUNCTION_LIST *fake_function_list(void) {
    static CK_FUNCTION_LIST list = {
        .version = {2, 40}, .C_Initialize = initialize, .C_Finalize = finalize, .C_GetSlotList = get_slot_list,
        .C_GetTokenInfo = get_token_info, .C_OpenSession = open_session, .C_CloseSession = close_session, .C_Login = login,
        .C_DestroyObject = destroy_object, .C_GetAttributeValue = get_attribute_value, .C_FindObjectsInit = find_objects_init,
        .C_FindObjects = find_objects, .C_FindObjectsFinal = find_objects_final, .C_SignInit = sign_init, .C_Sign = sign,
        .C_GenerateKeyPair = generate_key_pair,
    };
    return &list;
}

#define UNDER_LOCK(statement) do { pthread_mutex_lock(&lock); statement; pthread_mutex_unlock(&lock); } while (0)

void fake_reset(const CK_BYTE *point65, FakeSigner signer) {
    pthread_mutex_lock(&lock);
    memset(&fake, 0, sizeof fake);
    fake.present = fake.public_key = 1;
    fake.tokens = fake.keys = 1;
    strcpy(fake.pin, "2468");
    memcpy(fake.point, point65, 65);
    fake.signer = signer;
    seen = 1;
    pthread_mutex_unlock(&lock);
}

void fake_fail(FakeFunction function, CK_RV code) { UNDER_LOCK(fake.fails[function] = code); }
void fake_fail_once(FakeFunction function, CK_RV code) { UNDER_LOCK(fake.fails_once[function] = code); }
void fake_hang(FakeFunction function) { UNDER_LOCK(fake.hangs[function] = 1); }
void fake_release(void) { UNDER_LOCK(memset(fake.hangs, 0, sizeof fake.hangs); pthread_cond_broadcast(&changed)); }
void fake_remove(void) { UNDER_LOCK(fake.present = 0; end_sessions()); }
void fake_insert(int renewed) { UNDER_LOCK(fake.present = 1; seen = !renewed); }
void fake_set_tokens(unsigned long count) { UNDER_LOCK(fake.tokens = count); }
void fake_set_pin(const char *pin) { UNDER_LOCK(strncpy(fake.pin, pin, sizeof fake.pin - 1)); }
void fake_set_extractable(int extractable) { UNDER_LOCK(fake.extractable = extractable); }
void fake_set_public_key(int visible) { UNDER_LOCK(fake.public_key = visible); }
void fake_set_keys(unsigned long count) { UNDER_LOCK(fake.keys = count); }
void fake_lie(FakeFunction function, unsigned long length) { UNDER_LOCK(fake.lies[function] = length); }

static unsigned long read_under_lock(const unsigned long *place) {
    unsigned long value;
    UNDER_LOCK(value = *place);
    return value;
}

unsigned long fake_calls(FakeFunction function) { return read_under_lock(&fake.calls[function]); }
unsigned long fake_wrong_pins(void) { return read_under_lock(&fake.wrong_pins); }

unsigned long fake_sessions(void) {
    unsigned long open = 0;
    UNDER_LOCK(for (int i = 0; i < SESSIONS; i++) open += sessions[i] != 0);
    return open;
}
