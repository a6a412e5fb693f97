/* test_hash.c - SHA-256 of what the standard hashes too, and its digits. */
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

TEST(nothing_may_be_no_pointer)
{
    CHECK(hashes_to(NULL, 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
