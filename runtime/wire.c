/* wire.c - the table of frames, asked by both sides before they believe a header. */
#include "wire.h"

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
