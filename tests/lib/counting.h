/*
 * counting.h - a strcmp() in front of the C library's that counts, so that a test can tell how much
 * a look-up compares without a clock.
 */
#ifndef COUNTING_H
#define COUNTING_H

#include <stddef.h>
#include <string.h>

/* Volatile: a compiler thinks that strcmp() changes nothing. */
static volatile size_t counting_comparisons;

__attribute__((visibility("default"))) int strcmp(const char *a, const char *b)
{
    counting_comparisons++;
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

#endif
