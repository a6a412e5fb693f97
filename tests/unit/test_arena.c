/* test_arena.c - the engine's allocator: its blocks, its two regions, its limit. */
#include "arena.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

#define MIB ((size_t)1 << 20)
#define SLACK ((size_t)128) /* what the header and rounding of a large block may cost */

static jmp_buf full_jump;
static int full_expected;

static void full(void)
{
    if (!full_expected) {
        (void)printf("Bail out! full where no test expects it\n");
        _exit(1);
    }
    full_expected = 0;
    longjmp(full_jump, 1);
}

/* 1 if |call| ends in the handler. Local variables that |call| changes must not be used later. */
#define IS_FULL(call) \
    (full_expected = 1, setjmp(full_jump) ? 1 : ((void)(call), full_expected = 0, 0))

static int start(size_t size)
{
    static uint64_t random;

    random += 0x9e3779b97f4a7c15; /* a new address: memory mapped by earlier tests is still there */
    return crw_arena_init(16 * MIB, full) || crw_arena_enter_run(size, random);
}

static void *get(size_t size)
{
    return crw_arena_malloc(NULL, size);
}

static void put(void *p)
{
    crw_arena_free(NULL, p);
}

static void *resize(void *p, size_t size)
{
    return crw_arena_realloc(NULL, p, size);
}

static void fill(void *p, size_t size, unsigned seed)
{
    unsigned char *bytes = p;

    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(seed + i * 7 + (i >> 8));
}

static int is_filled(const void *p, size_t size, unsigned seed)
{
    const unsigned char *bytes = p;

    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != (unsigned char)(seed + i * 7 + (i >> 8)))
            return 0;
    }
    return 1;
}

static int is_zero(const void *p, size_t size)
{
    const unsigned char *bytes = p;

    while (size && !bytes[size - 1])
        size--;
    return !size;
}

/* Runs |act| in a child. Returns the signal that ended the child, or 0. */
static int signal_of(void (*act)(void))
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        struct rlimit none = {0, 0};

        (void)setrlimit(RLIMIT_CORE, &none);
        (void)signal(SIGILL, SIG_DFL);
        (void)signal(SIGTRAP, SIG_DFL);
        act();
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static int traps(void (*act)(void))
{
    int sig = signal_of(act);

    return sig == SIGILL || sig == SIGTRAP;
}

TEST(payloads_are_aligned_and_all_of_the_usable_size_is_usable)
{
    CHECK(start(16 * MIB) == 0);
    for (size_t size = 0; size < 6000; size++) {
        char *p = get(size);

        CHECK(p && (uintptr_t)p % 16 == 0);
        CHECK(crw_arena_usable_size(p) >= size);
        CHECK(crw_arena_usable_size(p) <= size + (size < 1000 ? 24 : 72));
        memset(p, 0xee, crw_arena_usable_size(p));
        CHECK(size % 100 || crw_arena_check() == 0);
        if (size % 3 == 0)
            put(p);
    }
    CHECK(crw_arena_check() == 0);
    CHECK(crw_arena_usable_size(NULL) == 0);
}

TEST(zero_bytes_are_a_block_of_their_own)
{
    void *p, *q;

    CHECK(start(MIB) == 0);
    p = get(0);
    q = crw_arena_calloc(NULL, 0, 8);
    CHECK(p && q && p != q);
    p = resize(p, 0);
    CHECK(p && p != q);
    p = resize(NULL, 0);
    CHECK(p);
    put(NULL);
    CHECK(crw_arena_check() == 0);
}

TEST(bad_region_sizes_are_refused)
{
    CHECK(crw_arena_init(0, full) == -EINVAL);
    CHECK(crw_arena_init(SIZE_MAX, full) == -EINVAL);
    CHECK(crw_arena_init(MIB, full) == 0);
    CHECK(crw_arena_enter_run(0, 1) == -EINVAL);
    CHECK(crw_arena_enter_run(SIZE_MAX, 1) == -EINVAL);
    CHECK(crw_arena_enter_run(MIB, 1) == 0);
    CHECK(crw_arena_enter_run(MIB, 1) == -EBUSY);
}

TEST(the_run_region_lies_where_the_random_number_says)
{
    uintptr_t a, b;

    CHECK(start(MIB) == 0);
    a = (uintptr_t)get(1);
    CHECK(crw_arena_init(MIB, full) == 0);
    CHECK(crw_arena_enter_run(MIB, UINT64_MAX) == 0);
    b = (uintptr_t)get(1);
    CHECK(a % 4096 == b % 4096);
    CHECK(a >> 12 != b >> 12);
    CHECK(a >> 47 == 0 && b >> 47 == 0);
}

TEST(growing_at_the_top_stays_in_place)
{
    char *p, *q;

    CHECK(start(MIB) == 0);
    p = get(100);
    fill(p, 100, 1);
    q = resize(p, 500000);
    CHECK(q == p && is_filled(q, 100, 1));
    CHECK(crw_arena_usable_size(q) >= 500000 && crw_arena_check() == 0);
}

TEST(growing_into_a_free_neighbour_stays_in_place)
{
    char *p, *next, *last, *q;

    CHECK(start(MIB) == 0);
    p = get(1000);
    next = get(3000);
    last = get(10);
    fill(p, 1000, 2);
    fill(last, 10, 3);
    put(next);
    q = resize(p, 2000);
    CHECK(q == p && is_filled(q, 1000, 2) && crw_arena_check() == 0);
    q = resize(p, 3900);
    CHECK(q == p && is_filled(q, 1000, 2) && is_filled(last, 10, 3));
    CHECK(crw_arena_check() == 0);
}

TEST(growing_between_used_blocks_moves)
{
    char *p, *next, *q;

    CHECK(start(MIB) == 0);
    p = get(1000);
    next = get(10);
    fill(p, 1000, 6);
    fill(next, 10, 7);
    q = resize(p, 5000);
    CHECK(q != p && is_filled(q, 1000, 6) && is_filled(next, 10, 7));
    CHECK(get(1000) == p);
    CHECK(crw_arena_check() == 0);
}

TEST(shrinking_stays_in_place_and_gives_the_rest_back)
{
    char *p, *last, *q;

    CHECK(start(MIB) == 0);
    p = get(8000);
    last = get(10);
    fill(p, 8000, 8);
    q = resize(p, 1000);
    CHECK(q == p && is_filled(q, 1000, 8));
    CHECK(crw_arena_usable_size(q) < 1100 && crw_arena_check() == 0);
    q = get(6000);
    CHECK(q > p && q < last);
    CHECK(crw_arena_check() == 0);
}

TEST(shrinking_the_last_block_lowers_the_top)
{
    char *p;

    CHECK(start(MIB) == 0);
    p = get(8000);
    CHECK(resize(p, 100) == p && crw_arena_used() < 200);
    CHECK(crw_arena_peak() >= 8000 && crw_arena_peak() < 8000 + SLACK);
    CHECK(crw_arena_check() == 0);
}

/* Frees the middle of three blocks, with its neighbours free or used, between two used blocks. */
static int hole_after_merge(int before_free, int after_free)
{
    char *first = get(2000), *before = get(2000), *mid = get(2000), *next = get(2000);
    char *last = get(2000), *from = before_free ? before : mid, *hole;
    size_t size = 2000 * (size_t)(1 + before_free + after_free);

    fill(first, 2000, 9);
    fill(last, 2000, 10);
    if (before_free)
        put(before);
    if (after_free)
        put(next);
    put(mid);
    if (crw_arena_check())
        return 0;
    hole = get(size);
    fill(hole, size, 11);
    return hole == from && is_filled(first, 2000, 9) && is_filled(last, 2000, 10) &&
           crw_arena_check() == 0;
}

TEST(free_merges_with_no_neighbour)
{
    CHECK(start(MIB) == 0);
    CHECK(hole_after_merge(0, 0));
}

TEST(free_merges_with_the_block_before)
{
    CHECK(start(MIB) == 0);
    CHECK(hole_after_merge(1, 0));
}

TEST(free_merges_with_the_block_after)
{
    CHECK(start(MIB) == 0);
    CHECK(hole_after_merge(0, 1));
}

TEST(free_merges_with_both_neighbours)
{
    CHECK(start(MIB) == 0);
    CHECK(hole_after_merge(1, 1));
}

TEST(calloc_zeroes_reused_memory)
{
    char *p, *q;

    CHECK(start(MIB) == 0);
    p = get(5000);
    q = get(5000);
    memset(p, 0xff, 5000);
    memset(q, 0xff, 5000);
    put(p);
    p = crw_arena_calloc(NULL, 50, 100);
    CHECK(is_zero(p, 5000));
    memset(p, 0xff, 5000);
    put(q);
    put(p);
    /* partly reused memory, partly fresh */
    p = crw_arena_calloc(NULL, 1, 500000);
    CHECK(is_zero(p, 500000));
    CHECK(crw_arena_check() == 0);
}

TEST(calloc_does_not_touch_fresh_memory)
{
    unsigned char resident[16 * 256];
    uintptr_t page;
    size_t count = 0;
    char *p;

    CHECK(start(16 * MIB) == 0);
    p = crw_arena_calloc(NULL, 1, 15 * MIB);
    page = (uintptr_t)p & ~(uintptr_t)4095;
    CHECK(mincore((char *)p - ((uintptr_t)p - page), 15 * MIB, resident) == 0);
    for (size_t i = 0; i < 15 * MIB / 4096; i++)
        count += resident[i] & 1;
    CHECK(count <= 1);
}

static int makes_resident(void (*fault)(size_t))
{
    unsigned char resident[256];
    char *p;

    if (start(MIB))
        return 0;
    p = get(100);
    fill(p, 100, 12);
    fault((size_t)10 * 4096);
    if (mincore(p - 16, MIB, resident))
        return 0;
    for (size_t i = 0; i < 256; i++)
        if ((resident[i] & 1) != (i < 10))
            return 0;
    fault(SIZE_MAX);
    if (!is_filled(p, 100, 12) || crw_arena_check())
        return 0;
    p = crw_arena_calloc(NULL, 1, MIB / 2);
    return is_zero(p, MIB / 2);
}

TEST(touch_makes_pages_resident_and_keeps_what_is_there)
{
    CHECK(makes_resident(crw_arena_touch));
}

TEST(prefault_does_the_same)
{
    CHECK(makes_resident(crw_arena_prefault));
}

TEST(warm_blocks_live_on_and_move_when_they_grow)
{
    char *p, *kept, *freed, *q;

    CHECK(crw_arena_init(MIB, full) == 0);
    p = get(1000);
    kept = get(1000);
    freed = get(1000);
    fill(p, 1000, 13);
    fill(kept, 1000, 14);
    fill(freed, 1000, 15);
    CHECK(crw_arena_enter_run(MIB, 99) == 0);
    CHECK(crw_arena_used() == 0 && crw_arena_peak() == 0);
    CHECK(resize(p, 10) == p && resize(p, 1000) == p);
    q = resize(p, 20000);
    CHECK(q != p && is_filled(q, 1000, 13) && crw_arena_used() >= 20000);
    put(freed);
    CHECK(get(1000) != freed);
    CHECK(is_filled(kept, 1000, 14) && is_filled(freed, 1000, 15));
    CHECK(crw_arena_usable_size(kept) >= 1000 && crw_arena_check() == 0);
}

TEST(holes_of_the_warm_region_are_not_used_by_the_run)
{
    char *hole, *wall;

    CHECK(crw_arena_init(MIB, full) == 0);
    hole = get(1000);
    wall = get(1000);
    put(hole);
    CHECK(crw_arena_check() == 0);
    CHECK(crw_arena_enter_run(MIB, 98) == 0 && crw_arena_check() == 0);
    CHECK(get(1000) != hole && get(500) != hole);
    put(wall);
    CHECK(crw_arena_check() == 0);
}

TEST(one_block_of_nearly_the_limit_can_be_had_and_no_more)
{
    CHECK(start(MIB) == 0);
    CHECK(IS_FULL(get(MIB)));
    CHECK(!IS_FULL(get(MIB - SLACK)));
    CHECK(IS_FULL(get(SLACK)));
    CHECK(crw_arena_check() == 0);
}

TEST(the_limit_is_rounded_up_to_pages)
{
    CHECK(start(MIB + 1) == 0);
    CHECK(!IS_FULL(get(MIB + 4096 - SLACK)));
}

TEST(small_blocks_fill_the_whole_region)
{
    static volatile size_t count;

    count = 0;
    CHECK(start(MIB) == 0);
    while (!IS_FULL(get(1016)))
        count++;
    CHECK(count == (MIB - 16) / 1024);
    CHECK(crw_arena_check() == 0);
}

TEST(a_failed_realloc_leaves_the_block_alone)
{
    static char *p;

    CHECK(start(MIB) == 0);
    p = get(1000);
    fill(p, 1000, 16);
    get(1000);
    CHECK(IS_FULL(resize(p, MIB)));
    CHECK(IS_FULL(resize(p, MIB - 1500)));
    CHECK(is_filled(p, 1000, 16) && crw_arena_check() == 0);
}

TEST(a_fit_deep_in_a_bin_is_found_before_giving_up)
{
    static char *hole, *small[20];

    CHECK(start(MIB) == 0);
    hole = get(8376);
    get(1);
    for (size_t i = 0; i < 20; i++) {
        small[i] = get(8184);
        get(1);
    }
    while (!IS_FULL(get(1))) {
    }
    put(hole);
    for (size_t i = 0; i < 20; i++)
        put(small[i]);
    CHECK(!IS_FULL(get(8312)));
    CHECK(IS_FULL(get(8312)));
    CHECK(!IS_FULL(get(8184)));
    CHECK(crw_arena_check() == 0);
}

TEST(huge_and_overflowing_sizes_end_in_the_handler)
{
    CHECK(start(MIB) == 0);
    CHECK(IS_FULL(get(SIZE_MAX)));
    CHECK(IS_FULL(get(SIZE_MAX - 7)));
    CHECK(IS_FULL(get(SIZE_MAX / 2)));
    CHECK(IS_FULL(crw_arena_calloc(NULL, SIZE_MAX, 2)));
    CHECK(IS_FULL(crw_arena_calloc(NULL, (size_t)1 << 32, (size_t)1 << 32)));
    CHECK(IS_FULL(resize(get(10), SIZE_MAX)));
    CHECK(IS_FULL(resize(NULL, SIZE_MAX - 15)));
    CHECK(crw_arena_check() == 0);
}

static void handler_that_returns(void)
{
}

static void ask_for_too_much(void)
{
    if (crw_arena_init(MIB, handler_that_returns) == 0)
        get(2 * MIB);
}

TEST(a_handler_that_returns_traps)
{
    CHECK(traps(ask_for_too_much));
}

static char *victim;

static void free_victim(void)
{
    put(victim);
}

static void free_victim_twice(void)
{
    put(victim);
    put(victim);
}

static void free_victim_twice_with_its_place_taken(void)
{
    put(victim);
    get(216);
    put(victim);
}

static void free_inside_victim(void)
{
    put(victim + 16);
}

static void free_elsewhere(void)
{
    static _Alignas(16) char elsewhere[64] = {[8] = 35};

    put(elsewhere + 16);
}

TEST(a_double_free_traps_whatever_is_around)
{
    for (unsigned around = 0; around < 8; around++) {
        char *before, *next;

        CHECK(start(MIB) == 0);
        get(100);
        before = get(100);
        victim = get(100);
        next = get(100);
        if (around & 4)
            get(100);
        if (around & 1)
            put(before);
        if (around & 2)
            put(next);
        CHECK(signal_of(free_victim) == 0);
        CHECK(traps(free_victim_twice));
    }
}

TEST(a_double_free_traps_when_its_place_is_taken)
{
    char *before;

    CHECK(start(MIB) == 0);
    before = get(100);
    victim = get(100);
    get(100);
    put(before);
    CHECK(traps(free_victim_twice_with_its_place_taken));
}

TEST(a_free_of_what_is_no_block_traps)
{
    CHECK(start(MIB) == 0);
    victim = get(100);
    memset(victim, 0, 100);
    CHECK(signal_of(free_victim) == 0);
    CHECK(traps(free_inside_victim));
    CHECK(traps(free_elsewhere));
    victim += 1;
    CHECK(traps(free_victim));
    victim += MIB - 1;
    CHECK(traps(free_victim));
}

TEST(a_free_of_an_overrun_block_traps)
{
    CHECK(start(MIB) == 0);
    victim = get(100);
    get(100);
    put(get(100));
    victim[crw_arena_usable_size(victim) - 1] = 1;
    CHECK(signal_of(free_victim) == 0);
    victim[crw_arena_usable_size(victim)] = 0;
    CHECK(traps(free_victim));
    victim[crw_arena_usable_size(victim)] = 112 + 1; /* used, but claims that the victim is free */
    CHECK(traps(free_victim));
}

/* The expected content of each block, for a million random operations. */
#define SLOTS 1024
static struct slot {
    char *p;
    size_t size;
    int mark;
} slots[SLOTS];

static uint64_t rng;

static uint64_t draw(uint64_t below)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return rng % below;
}

static size_t draw_size(void)
{
    uint64_t kind = draw(100);

    if (kind < 50)
        return (size_t)draw(200);
    if (kind < 80)
        return 3600 + (size_t)draw(500);
    return (size_t)draw(kind < 98 ? 20000 : 200000);
}

/* Fills the block with a mark, and its middle with another, so that shifted content is noticed. */
static void slot_write(struct slot *s, char *p, size_t size)
{
    s->p = p;
    s->size = size;
    s->mark = (int)draw(128);
    memset(p, s->mark, size);
    if (size)
        p[size / 2] = (char)~s->mark;
}

static int is_all(const char *p, size_t size, int mark)
{
    return size == 0 || (p[0] == mark && memcmp(p, p + 1, size - 1) == 0);
}

/* Are the first |size| bytes of |p| those that were written to the slot? */
static int slot_holds(const struct slot *s, const char *p, size_t size)
{
    size_t mid = s->size / 2;

    if (crw_arena_usable_size(p) < size)
        return 0;
    if (size <= mid)
        return is_all(p, size, s->mark);
    return is_all(p, mid, s->mark) && p[mid] == (char)~s->mark &&
           is_all(p + mid + 1, size - mid - 1, s->mark);
}

static int step(struct slot *s)
{
    size_t size = draw_size();
    uint64_t kind = draw(10);
    char *p;

    if (!s->p && kind < 5) {
        p = crw_arena_calloc(NULL, 1, size);
        if (!is_all(p, size, 0))
            return 0;
    } else if (!s->p) {
        p = get(size);
    } else if (kind < 5) {
        p = resize(s->p, size);
        if (!slot_holds(s, p, size < s->size ? size : s->size))
            return 0;
    } else {
        if (!slot_holds(s, s->p, s->size))
            return 0;
        put(s->p);
        s->p = NULL;
        return 1;
    }
    slot_write(s, p, size);
    return (uintptr_t)p % 16 == 0;
}

/* Returns the number of the step that failed, or 0. */
static int many_steps(uint64_t seed, int steps)
{
    rng = seed;
    memset(slots, 0, sizeof slots);
    for (int i = 1; i <= steps; i++) {
        if (!step(&slots[draw(SLOTS)]) || (i % 1000 == 0 && crw_arena_check()))
            return i;
    }
    for (size_t i = 0; i < SLOTS; i++) {
        if (slots[i].p && !slot_holds(&slots[i], slots[i].p, slots[i].size))
            return -1;
        put(slots[i].p);
    }
    return crw_arena_check();
}

TEST(a_million_random_operations_keep_all_contents_apart)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        CHECK(start(64 * MIB) == 0);
        CHECK(many_steps(seed * 0x9e3779b97f4a7c15U, 250000) == 0);
        CHECK(crw_arena_used() == 0);
        CHECK(!IS_FULL(get(64 * MIB - SLACK)));
    }
}

TEST(random_operations_leave_little_of_the_region_in_holes)
{
    size_t most = 0;

    CHECK(start(64 * MIB) == 0);
    rng = 42;
    memset(slots, 0, sizeof slots);
    for (int i = 0; i < 200000; i++) {
        CHECK(step(&slots[draw(SLOTS)]));
        most = crw_arena_used() > most ? crw_arena_used() : most;
    }
    CHECK(crw_arena_peak() < most + most / 2);
}

TEST(freeing_every_second_slab_leaves_room_for_as_many_of_another_kind)
{
    static char *slab[250];
    size_t peak;

    CHECK(start(MIB) == 0);
    for (size_t i = 0; i < 250; i++)
        slab[i] = get(4072);
    peak = crw_arena_peak();
    for (size_t i = 0; i < 250; i += 2)
        put(slab[i]);
    for (size_t i = 0; i < 125; i++)
        get(i % 2 ? 4080 : 4088);
    CHECK(crw_arena_peak() == peak && crw_arena_check() == 0);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
