/* batch.c - walks over the array, its current element and that element's result in parallel. */
#include "mcp/batch.h"

#include <stdlib.h>

#include "base/err.h"

#define FIRST_CAP 16u

static void begin_message(struct cr_batch *b)
{
    cr_walk_init(&b->message);
    cr_walk_init_result(&b->type);
}

void cr_batch_begin(struct cr_batch *b, size_t start)
{
    cr_batch_clear(b);
    b->has_begun = true;
    cr_walk_init_array(&b->array, start);
    begin_message(b);
}

static int grow(struct cr_batch *b)
{
    size_t cap = b->cap ? 2 * b->cap : FIRST_CAP;
    struct cr_batch_message *messages;

    if (b->count < b->cap)
        return 0;
    messages = realloc(b->messages, cap * sizeof(*messages));
    if (!messages)
        return CAPRUN_E_NOMEM;
    b->messages = messages;
    b->cap = cap;
    return 0;
}

/* Stores the current message, which is complete. */
static int keep_message(struct cr_batch *b)
{
    int r = b->count == CR_BATCH_MAX ? CAPRUN_E_TOOBIG : grow(b);

    if (r < 0)
        return r;
    b->messages[b->count++] =
        (struct cr_batch_message){.at = b->array.parts[CR_WALK_OTHER].at,
                                  .len = b->array.parts[CR_WALK_OTHER].len,
                                  .walk = b->message,
                                  .type_at = b->type.parts[CR_WALK_RESULT_TYPE].at,
                                  .type_len = b->type.parts[CR_WALK_RESULT_TYPE].len};
    begin_message(b);
    return 0;
}

int cr_batch_feed(struct cr_batch *b, const void *text, size_t len)
{
    bool is_whole = true;

    while (b->code == 0 && is_whole) {
        is_whole = cr_walk_element(&b->array, text, len);
        cr_walk_follow(&b->message, &b->array, CR_WALK_OTHER, text);
        cr_walk_follow(&b->type, &b->message, CR_WALK_RESULT,
                       (const char *)text + b->array.parts[CR_WALK_OTHER].at);
        if (is_whole)
            b->code = keep_message(b);
    }
    return b->code;
}

const struct cr_batch_message *cr_batch_next(struct cr_batch *b)
{
    return b->next < b->count ? &b->messages[b->next++] : NULL;
}

void cr_batch_clear(struct cr_batch *b)
{
    free(b->messages);
    *b = (struct cr_batch){.messages = NULL};
}
