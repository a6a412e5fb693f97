/* wire.c - the table of frames, asked by both sides before they believe a header. */
#include "wire.h"

#include <string.h>

static const struct {
    const char *name;
    uint16_t type;
    enum wire_side side;
    size_t least;
    size_t most;
} types[] = {
#define XX(name, number, side, least, most) {#name, (number), (side), (least), (most)},
    WIRE_TYPE_MAP(XX)
#undef XX
};

int wire_check(const struct wire_header *header, enum wire_side side)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (types[i].type != header->type || types[i].side != side)
            continue;
        if (header->length < types[i].least || header->length > types[i].most || header->zero)
            return -1;
        return side == WIRE_WORKER && (header->left_ms || header->date_us || header->now_us) ? -1
                                                                                             : 0;
    }
    return -1;
}

const char *wire_type_name(unsigned type)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (types[i].type == type)
            return types[i].name;
    return "?";
}

static int is_name(const char *text, size_t len, size_t max, const char *extra)
{
    if (len < 1 || len > max)
        return 0;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              (c && strchr(extra, c))))
            return 0;
    }
    return 1;
}

int wire_is_namespace(const char *text, size_t len)
{
    return is_name(text, len, LIMIT_NAMESPACE_CHARS, "_-");
}

int wire_is_action(const char *text, size_t len)
{
    return is_name(text, len, LIMIT_ACTION_CHARS, "_./-");
}
