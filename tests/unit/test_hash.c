/* test_hash.c - SHA-256 with the standard's test vectors; hex digits, chains, and keyed hashes. */
#include "tap.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/hash.h"

static bool hashes_to(const void *bytes, size_t len, const char *digits)
{
    uint8_t hash[CR_HASH_BYTES];
    char shown[CR_HASH_DIGITS + 2];

    memset(shown, '#', sizeof(shown));
    cr_hash_take(bytes, len, hash);
    cr_hash_show(hash, shown);
    return strcmp(shown, digits) == 0 && shown[CR_HASH_DIGITS + 1] == '#';
}

TEST(the_hashes_are_those_of_the_standard)
{
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

    CHECK(hashes_to("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    CHECK(hashes_to("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    CHECK(hashes_to(two_blocks, sizeof(two_blocks) - 1,
                    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
}

TEST(a_null_pointer_with_length_zero_is_allowed)
{
    CHECK(hashes_to(NULL, 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
}

TEST(a_chain_goes_on_with_its_last_hash_and_the_bytes)
{
    uint8_t chain[CR_HASH_BYTES] = {0}, both[CR_HASH_BYTES + 3] = {0}, wanted[CR_HASH_BYTES];

    for (int i = 0; i < 3; i++) {
        memcpy(both, chain, CR_HASH_BYTES);
        memcpy(both + CR_HASH_BYTES, "abc", 3);
        cr_hash_take(both, sizeof(both), wanted);
        cr_hash_chain(chain, "abc", 3);
        CHECK(memcmp(chain, wanted, sizeof(wanted)) == 0);
    }
    cr_hash_take(chain, sizeof(chain), wanted);
    cr_hash_chain(chain, NULL, 0);
    CHECK(memcmp(chain, wanted, sizeof(wanted)) == 0);
}

TEST(two_texts_are_not_one_in_a_chain)
{
    uint8_t together[CR_HASH_BYTES] = {0}, apart[CR_HASH_BYTES] = {0};

    cr_hash_chain(together, "ab", 2);
    cr_hash_chain(apart, "a", 1);
    cr_hash_chain(apart, "b", 1);
    CHECK(memcmp(together, apart, sizeof(apart)) != 0);
}

static bool keyed_to(const uint8_t key[CR_HASH_BYTES], const char *text, const char *digits)
{
    uint8_t hash[CR_HASH_BYTES];
    char shown[CR_HASH_DIGITS + 1];

    cr_hash_keyed(key, text, strlen(text), hash);
    cr_hash_show(hash, shown);
    return strcmp(shown, digits) == 0;
}

/* RFC 4231, test case 1: its key of 20 bytes equals a key of 32 bytes padded with zeros. */
TEST(keyed_hashes_are_those_of_the_standard)
{
    uint8_t key[CR_HASH_BYTES] = {0}, other[CR_HASH_BYTES] = {1}, a[CR_HASH_BYTES],
            b[CR_HASH_BYTES];

    memset(key, 0x0b, 20);
    CHECK(keyed_to(key, "Hi There",
                   "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"));
    memset(key, 0, sizeof(key));
    CHECK(keyed_to(key, "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"));
    cr_hash_keyed(key, "x", 1, a);
    cr_hash_keyed(other, "x", 1, b);
    CHECK(memcmp(a, b, sizeof(a)) != 0);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
