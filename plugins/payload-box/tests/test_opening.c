/* The cryptography against published values, and how long each failure takes. */
#include <sodium.h>
#include <stdlib.h>
#include <time.h>

#include "opening.h"
#include "test.h"

enum { CIPHERTEXT_SIZE = 1024, ROUNDS = 401 };

struct sealed {
    uint8_t sender[PUBLIC_KEY_SIZE], nonce[NONCE_SIZE], ciphertext[CIPHERTEXT_SIZE], secret_key[SECRET_KEY_SIZE];
    size_t size;
};

static void unhex(const char *text, uint8_t *out, size_t size)
{
    if (strlen(text) != 2 * size || !assay_hex_decode(assay_string(text), out, size))
        abort();
}

static struct envelope envelope_of(const struct sealed *sealed)
{
    return (struct envelope){.ephemeral_key = assay_bytes(sealed->sender, PUBLIC_KEY_SIZE), .nonce = assay_bytes(sealed->nonce, NONCE_SIZE),
        .ciphertext = assay_bytes(sealed->ciphertext, sealed->size)};
}

static bool opens(const struct sealed *sealed, uint8_t *plaintext)
{
    struct envelope envelope = envelope_of(sealed);

    return opening_open(&envelope, sealed->secret_key, plaintext);
}

/* MARK: Published values */

/* "Cryptography in NaCl", and the tests box and box2 of the NaCl distribution: Alice seals for Bob. */
static struct sealed nacl(void)
{
    struct sealed sealed = {.size = 147};

    unhex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a", sealed.sender, PUBLIC_KEY_SIZE);
    unhex("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37", sealed.nonce, NONCE_SIZE);
    unhex("f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48"
          "c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e"
          "88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5",
        sealed.ciphertext, 147);
    unhex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb", sealed.secret_key, SECRET_KEY_SIZE);
    return sealed;
}

static void test_nacl(void)
{
    struct sealed sealed = nacl();
    uint8_t plaintext[131], expected[131], alice_secret[32], alice[32], bob[32], again[147];

    unhex("be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314a"
          "db310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937"
          "763848645e0705",
        expected, sizeof expected);
    unhex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a", alice_secret, 32);
    unhex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f", bob, 32);
    CHECK(opens(&sealed, plaintext) && memcmp(plaintext, expected, sizeof expected) == 0);
    CHECK(crypto_scalarmult_base(alice, alice_secret) == 0 && memcmp(alice, sealed.sender, 32) == 0);
    CHECK(crypto_box_easy(again, expected, sizeof expected, sealed.nonce, bob, alice_secret) == 0
        && memcmp(again, sealed.ciphertext, sizeof again) == 0);
}

static void test_golden(void)
{
    static const char text[] = "Hello, World!";
    struct sealed sealed = {.size = 29};
    uint8_t plaintext[13], recipient[32], fingerprint[FINGERPRINT_SIZE], expected[FINGERPRINT_SIZE], ephemeral_secret[32];

    memset(ephemeral_secret, 0x11, sizeof ephemeral_secret);
    memset(sealed.secret_key, 0x22, sizeof sealed.secret_key);
    for (uint8_t i = 0; i < NONCE_SIZE; i++)
        sealed.nonce[i] = i;
    crypto_scalarmult_base(sealed.sender, ephemeral_secret);
    unhex("64a40e1430363d5113d3f5d27c75bb4213e975fa31bfda9f55df59c8f0", sealed.ciphertext, 29);
    CHECK(opens(&sealed, plaintext) && memcmp(plaintext, text, sizeof plaintext) == 0);

    unhex("0faa684ed28867b97f4a6a2dee5df8ce974e76b7018e3f22a1c4cf2678570f20", recipient, 32);
    unhex("65cf5c9b1de5d41f758cb67f2d05f3e316a203fc", expected, sizeof expected);
    opening_fingerprint(recipient, fingerprint);
    CHECK(memcmp(fingerprint, expected, sizeof expected) == 0);
}

/* MARK: What does not open */

static void test_every_bit(void)
{
    struct sealed sealed = nacl();
    uint8_t plaintext[131];

    for (size_t bit = 0; bit < 8 * sealed.size; bit++) {
        sealed.ciphertext[bit / 8] ^= (uint8_t)(1u << bit % 8);
        CHECK(!opens(&sealed, plaintext));
        sealed.ciphertext[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t bit = 0; bit < 8 * NONCE_SIZE; bit++) {
        sealed.nonce[bit / 8] ^= (uint8_t)(1u << bit % 8);
        CHECK(!opens(&sealed, plaintext));
        sealed.nonce[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t bit = 0; bit < 8 * PUBLIC_KEY_SIZE; bit++) {
        /* X25519 ignores the highest bit of a public key; the reader of envelopes refuses it. */
        sealed.sender[bit / 8] ^= (uint8_t)(1u << bit % 8);
        CHECK(opens(&sealed, plaintext) == (bit == 255));
        sealed.sender[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    CHECK(opens(&sealed, plaintext));
}

/* The points of small order below 2^255 - 19. */
static const char *const small_order[] = {
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
};

/* The key of a shared secret of zeros is known to all: a sender that seals with it knows nothing of the recipient. */
static void test_zero_shared_secret(void)
{
    static const uint8_t zeros[32], text[] = "forged";
    struct sealed sealed = {.size = sizeof text + TAG_SIZE};
    uint8_t key[crypto_box_BEFORENMBYTES], plaintext[sizeof text], hsalsa_input[16] = {0};

    memset(sealed.secret_key, 0x22, sizeof sealed.secret_key);
    crypto_core_hsalsa20(key, hsalsa_input, zeros, NULL);
    CHECK(crypto_box_easy_afternm(sealed.ciphertext, text, sizeof text, sealed.nonce, key) == 0);
    CHECK(crypto_box_open_easy_afternm(plaintext, sealed.ciphertext, sealed.size, sealed.nonce, key) == 0);
    for (size_t i = 0; i < sizeof small_order / sizeof small_order[0]; i++) {
        unhex(small_order[i], sealed.sender, PUBLIC_KEY_SIZE);
        CHECK(!opens(&sealed, plaintext));
    }
}

/* MARK: Time */

static int64_t nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int compare(const void *left, const void *right)
{
    int64_t l = *(const int64_t *)left, r = *(const int64_t *)right;

    return (l > r) - (l < r);
}

static int64_t time_of(const struct sealed *sealed)
{
    uint8_t plaintext[CIPHERTEXT_SIZE];
    int64_t start = nanoseconds();

    CHECK(!opens(sealed, plaintext));
    return nanoseconds() - start;
}

static int64_t median(int64_t times[ROUNDS])
{
    qsort(times, ROUNDS, sizeof times[0], compare);
    return times[ROUNDS / 2];
}

/* In turns, so that what else the machine does is in all of them. The bound is wide: without the work in its place a key of small order
 * takes a tenth. */
static void test_time(void)
{
    static int64_t times[3][ROUNDS];
    struct sealed tag = nacl(), other = nacl(), zero = nacl();
    int64_t medians[3];

    tag.ciphertext[0] ^= 1;
    other.secret_key[5] ^= 1;
    unhex(small_order[1], zero.sender, PUBLIC_KEY_SIZE);
    for (size_t i = 0; i < ROUNDS; i++) {
        times[0][i] = time_of(&tag);
        times[1][i] = time_of(&other);
        times[2][i] = time_of(&zero);
    }
    for (size_t i = 0; i < 3; i++)
        medians[i] = median(times[i]);
    printf("opening: a wrong tag %lld ns, another key %lld ns, a key of small order %lld ns\n", (long long)medians[0], (long long)medians[1],
        (long long)medians[2]);
    for (size_t i = 1; i < 3; i++)
        CHECK(medians[i] < 2 * medians[0] && medians[0] < 2 * medians[i]);
}

int main(void)
{
    if (sodium_init() < 0)
        return 1;
    test_nacl();
    test_golden();
    test_every_bit();
    test_zero_shared_secret();
    test_time();
    return TEST_END("opening");
}
