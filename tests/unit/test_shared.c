/* test_shared.c - memory with several owners is freed by the last of them. */
#include "tap.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/loop.h"
#include "base/shared.h"

#define ROUNDS 20000

TEST(what_is_taken_is_the_same_memory_and_comes_back)
{
    uint8_t *block = malloc(8), *same = block;
    struct cr_shared *s = cr_shared_take(&block);

    CHECK(s && !block && s->block == same);
    CHECK(cr_shared_give_back(s) == same);
    free(same);
}

TEST(what_is_copied_does_not_change_with_the_original)
{
    char text[] = "before";
    struct cr_shared *s = cr_shared_copy(text, sizeof(text));

    CHECK(s);
    memcpy(text, "after!", sizeof(text));
    CHECK(strcmp((const char *)s->block, "before") == 0);
    cr_shared_unref(s);
}

TEST(the_last_owner_frees_it)
{
    struct cr_shared *s = cr_shared_copy("x", 1);

    CHECK(s && cr_shared_ref(s) == s && cr_shared_ref(s) == s);
    cr_shared_unref(s);
    cr_shared_unref(s);
    CHECK(s->block[0] == 'x'); /* a sanitizer notices if it was freed */
    cr_shared_unref(s);
    cr_shared_unref(NULL);
}

TEST(the_last_owner_has_a_large_block_freed_by_the_helper)
{
    size_t size = 16u << 20;
    uint8_t *block = calloc(1, size);
    struct cr_shared *s = cr_shared_take(&block);
    struct cr_loop loop;

    CHECK(s && cr_shared_ref(s) && cr_loop_init(&loop, NULL) == 0);
    cr_shared_unref_large(s, size, &loop.helper);
    CHECK(!loop.helper.has_thread && s->block[size - 1] == 0); /* another owner remains */
    cr_shared_unref_large(s, size, &loop.helper);
    CHECK(loop.helper.has_thread);
    cr_shared_unref_large(NULL, 0, &loop.helper);
    cr_loop_clear(&loop);
}

static void *let_go(void *data)
{
    struct cr_shared **all = data;

    for (size_t i = 0; i < ROUNDS; i++)
        cr_shared_unref(all[i]);
    return NULL;
}

TEST(two_threads_that_let_go_at_once_free_it_once)
{
    static struct cr_shared *all[ROUNDS];
    pthread_t other;

    for (size_t i = 0; i < ROUNDS; i++) {
        all[i] = cr_shared_copy("x", 1);
        CHECK(all[i]);
        (void)cr_shared_ref(all[i]);
    }
    CHECK(pthread_create(&other, NULL, let_go, all) == 0);
    (void)let_go(all);
    CHECK(pthread_join(other, NULL) == 0);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
