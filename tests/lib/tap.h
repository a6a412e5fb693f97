/*
 * tap.h - a minimal framework for TAP test programs.
 *
 *     TEST(add_past_max_fails_and_sticks) { ... CHECK(cr_buf_err(&b) == CAPRUN_E_TOOBIG); ... }
 *     int main(int argc, char **argv) { return tap_main(argc, argv); }
 *
 * The name of a test is a sentence. A test fails and stops at its first CHECK that does not hold.
 * `test_buf add_past_max_fails_and_sticks` runs only that test.
 */
#ifndef TAP_H
#define TAP_H

#include <stdio.h>
#include <string.h>

struct tap_test {
    const char *name;
    void (*run)(void);
    struct tap_test *next;
};

static struct tap_test *tap_tests;
static int tap_failed;

#define TEST(sentence)                                                \
    static void sentence(void);                                       \
    __attribute__((constructor)) static void tap_add_##sentence(void) \
    {                                                                 \
        static struct tap_test t = {#sentence, sentence, NULL};       \
        struct tap_test **end = &tap_tests;                           \
        while (*end)                                                  \
            end = &(*end)->next;                                      \
        *end = &t;                                                    \
    }                                                                 \
    static void sentence(void)

/* Prints to standard error, which prove always shows. */
#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            (void)fprintf(stderr, "# %s:%d: %s\n", __FILE__, __LINE__, #condition); \
            tap_failed = 1;                                                         \
            return;                                                                 \
        }                                                                           \
    } while (0)

static int tap_main(int argc, char **argv)
{
    int n = 0, bad = 0;

    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    for (struct tap_test *t = tap_tests; t; t = t->next) {
        if (argc > 1 && strcmp(argv[1], t->name) != 0)
            continue;
        tap_failed = 0;
        t->run();
        bad += tap_failed;
        printf("%s %d - %s\n", tap_failed ? "not ok" : "ok", ++n, t->name);
    }
    printf("1..%d\n", n);
    return bad || !n ? 1 : 0;
}

#endif
