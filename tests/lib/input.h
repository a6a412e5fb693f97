/*
 * input.h - reads a fuzzer's bytes as decisions: numbers, and texts of any bytes. After the end of
 * the input, numbers are 0 and texts are empty.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stddef.h>
#include <stdint.h>

struct input {
    const uint8_t *at;
    size_t len;
};

static inline uint8_t input_byte(struct input *in)
{
    if (!in->len)
        return 0;
    in->len--;
    return *in->at++;
}

static inline uint32_t input_number(struct input *in)
{
    uint32_t n = input_byte(in);

    n |= (uint32_t)input_byte(in) << 8;
    n |= (uint32_t)input_byte(in) << 16;
    return n | (uint32_t)input_byte(in) << 24;
}

/* Reads a text: a length byte, then the text. The length 255 means the rest of the input. */
static inline struct input input_text(struct input *in)
{
    size_t len = input_byte(in);
    struct input text = {in->at, len == 255 || len > in->len ? in->len : len};

    in->at += text.len;
    in->len -= text.len;
    return text;
}

#endif
