/*
 * test_wire.c - the table of frame types in wire.h, and whether docs/protocol.md agrees with it.
 *
 * The page has tables whose rows begin with a name in capitals and a number: `| JOB | 1 | host |`.
 * Every such row is an entry of wire.h, and every entry has its row.
 */
#include "tap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct frame {
    const char *name;
    uint16_t type;
    enum wire_side side;
    uint64_t least, most;
};

static const struct frame frames[] = {
#define XX(name, number, side, least, most) {#name, (number), (side), (least), (most)},
    WIRE_TYPE_MAP(XX)
#undef XX
};

static enum wire_side other(enum wire_side side)
{
    return side == WIRE_HOST ? WIRE_WORKER : WIRE_HOST;
}

static bool passes(uint16_t type, uint64_t length, enum wire_side side)
{
    struct wire_header header = {.length = (uint32_t)length, .type = type};

    return wire_check(&header, side) == 0;
}

/* --- wire_check --------------------------------------------------------------------------- */

TEST(each_type_takes_its_least_and_its_most_and_no_byte_beyond)
{
    for (size_t i = 0; i < COUNT(frames); i++) {
        const struct frame *f = &frames[i];

        CHECK(f->least <= f->most && f->most < UINT32_MAX / 2);
        CHECK(passes(f->type, f->least, f->side));
        CHECK(passes(f->type, f->most, f->side));
        CHECK(f->least == 0 || !passes(f->type, f->least - 1, f->side));
        CHECK(!passes(f->type, f->most + 1, f->side));
        CHECK(!passes(f->type, INT32_MAX, f->side) && !passes(f->type, UINT32_MAX, f->side));
    }
}

TEST(no_side_may_send_what_belongs_to_the_other)
{
    for (size_t i = 0; i < COUNT(frames); i++) {
        CHECK(!passes(frames[i].type, frames[i].least, other(frames[i].side)));
        CHECK(!passes(frames[i].type, frames[i].most, other(frames[i].side)));
    }
}

TEST(the_field_that_is_always_zero_is_zero)
{
    for (size_t i = 0; i < COUNT(frames); i++) {
        struct wire_header header = {.length = (uint32_t)frames[i].least, .type = frames[i].type};

        for (unsigned bit = 0; bit < 16; bit++) {
            header.zero = (uint16_t)(1u << bit);
            CHECK(wire_check(&header, frames[i].side) < 0);
        }
    }
}

TEST(only_the_host_speaks_of_time)
{
    for (size_t i = 0; i < COUNT(frames); i++) {
        const struct wire_header plain = {.length = (uint32_t)frames[i].least,
                                          .type = frames[i].type};
        struct wire_header timed[] = {plain, plain, plain};
        int expected = frames[i].side == WIRE_HOST ? 0 : -1;

        timed[0].left_ms = 1;
        timed[1].date_us = -1;
        timed[2].now_us = INT64_MIN;
        for (size_t j = 0; j < COUNT(timed); j++)
            CHECK(wire_check(&timed[j], frames[i].side) == expected);
    }
}

TEST(any_id_passes_because_its_meaning_depends_on_the_type)
{
    for (size_t i = 0; i < COUNT(frames); i++) {
        struct wire_header header = {
            .length = (uint32_t)frames[i].least, .type = frames[i].type, .id = UINT32_MAX};

        CHECK(wire_check(&header, frames[i].side) == 0);
    }
}

static const struct frame *find_frame(unsigned type)
{
    for (size_t i = 0; i < COUNT(frames); i++)
        if (frames[i].type == type)
            return &frames[i];
    return NULL;
}

TEST(a_number_that_has_no_type_never_passes)
{
    for (unsigned type = 0; type <= UINT16_MAX; type++) {
        if (find_frame(type))
            continue;
        for (uint32_t length = 0; length < 64; length++) {
            CHECK(!passes((uint16_t)type, length, WIRE_HOST));
            CHECK(!passes((uint16_t)type, length, WIRE_WORKER));
        }
    }
}

TEST(each_type_has_its_name_and_no_other_number_has_one)
{
    for (unsigned type = 0; type <= UINT16_MAX + 2u; type++) {
        const struct frame *f = find_frame(type);

        CHECK(strcmp(wire_type_name(type), f ? f->name : "?") == 0);
    }
}

TEST(no_number_is_given_twice)
{
    for (size_t i = 0; i < COUNT(frames); i++)
        CHECK(find_frame(frames[i].type) == &frames[i]);
}

/* --- layout ------------------------------------------------------------------------------- */

#define MEMBER(type, member) sizeof(((struct type *)NULL)->member)

TEST(the_structs_have_no_padding_that_could_carry_old_bytes)
{
    CHECK(sizeof(struct wire_header) == 32);
    CHECK(offsetof(struct wire_header, date_us) == 16);
    CHECK(sizeof(struct wire_job) == 84);
    CHECK(sizeof(struct wire_reply) == 8);
    CHECK(sizeof(struct wire_fail) == 8);
    CHECK(sizeof(struct wire_blocked) == 20);
    CHECK(sizeof(struct wire_call) == 8);
    CHECK(sizeof(struct wire_idle) == 8);
    CHECK(sizeof(struct wire_threw) == 24);
    CHECK(offsetof(struct wire_control, memory) == 16);
    CHECK(offsetof(struct wire_control, layers) == 40);
}

/* Sends a packet with |count| copies of standard output. */
static bool send_with(int socket, size_t count)
{
    union {
        struct cmsghdr header;
        uint8_t bytes[CMSG_SPACE(2 * sizeof(int))];
    } anc = {0};
    struct wire_control packet = {.version = WIRE_VERSION, .kind = WIRE_CONTROL_HELLO};
    struct iovec iov = {&packet, sizeof(packet)};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = &anc,
                         .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    const int fds[] = {STDOUT_FILENO, STDOUT_FILENO};

    anc.header = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
                                  .cmsg_type = SCM_RIGHTS,
                                  .cmsg_len = CMSG_LEN(count * sizeof(int))};
    memcpy(CMSG_DATA(&anc.header), fds, count * sizeof(int));
    return sendmsg(socket, &msg, 0) == (ssize_t)sizeof(packet);
}

TEST(a_packet_brings_one_descriptor_at_most)
{
    int pair[2], next, passed;
    struct wire_control packet;

    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
    for (size_t count = 1; count <= 2; count++) {
        CHECK(send_with(pair[0], count));
        CHECK(wire_receive_packet(pair[1], &packet, &passed, 0) == 1 && passed > pair[1]);
        CHECK(packet.error == (count == 1 ? 0 : EMFILE));
        next = dup(STDOUT_FILENO);
        CHECK(next == passed + 1); /* no second descriptor stayed open */
        (void)close(next);
        (void)close(passed);
    }
    (void)close(pair[0]);
    (void)close(pair[1]);
}

TEST(layers_are_counted_without_gaps)
{
    static const unsigned numbers[] = {
#define XX(name, number, text) (number),
        WIRE_LAYER_MAP(XX)
#undef XX
    };

    CHECK(COUNT(numbers) == WIRE_LAYERS);
    for (unsigned i = 0; i < COUNT(numbers); i++)
        CHECK(numbers[i] == i);
    CHECK(MEMBER(wire_control, layers) == WIRE_LAYERS);
}

/* --- docs/protocol.md --------------------------------------------------------------------- */

struct entry {
    const char *name;
    const char *sender; /* the third cell, or NULL if the row has two */
    unsigned number;
    bool seen;
};

static const char *sender(enum wire_side side)
{
    return side == WIRE_HOST ? "host" : "worker";
}

/* Fills |entries|, which has room for all of wire.h. Returns their number. */
static size_t list_entries(struct entry *entries)
{
    static const struct entry plain[] = {
#define XX(name, number, text) {#name, NULL, (number), false},
        WIRE_LAYER_MAP(XX) WIRE_STEP_MAP(XX) WIRE_EXIT_MAP(XX)
#undef XX
            {"FORK", "host", WIRE_CONTROL_FORK, false},
        {"HELLO", "zygote", WIRE_CONTROL_HELLO, false},
        {"REFUSE", "zygote", WIRE_CONTROL_REFUSE, false},
        {"FORKED", "zygote", WIRE_CONTROL_FORKED, false},
        {"EXITED", "zygote", WIRE_CONTROL_EXITED, false},
        {"BORN", "program", WIRE_CONTROL_BORN, false},
        {"PROBED", "probe", WIRE_CONTROL_PROBED, false},
    };
    size_t count = COUNT(plain);

    memcpy(entries, plain, sizeof(plain));
    for (size_t i = 0; i < COUNT(frames); i++)
        entries[count++] =
            (struct entry){frames[i].name, sender(frames[i].side), frames[i].type, false};
    return count;
}

static FILE *open_page(void)
{
    static const char here[] = "tests/unit/test_wire.c", file[] = __FILE__;
    const char *root = getenv("CAPRUN_SRC");
    char path[4096];

    if (root)
        (void)snprintf(path, sizeof(path), "%s/docs/protocol.md", root);
    else
        (void)snprintf(path, sizeof(path), "%.*s./docs/protocol.md",
                       (int)(sizeof(file) - sizeof(here)), file);
    return fopen(path, "r");
}

/* Checks the row `| NAME | NUMBER | third |`; |third| is "" if there is no third cell. */
static bool parse_row(const char *line, char name[64], unsigned *number, char third[64])
{
    static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    int end = 0;

    third[0] = '\0';
    if (sscanf(line, "| %63[A-Z_] | %u |%n %63[^|]", name, number, &end, third) < 2 || !end)
        return false;
    while (third[0] && third[strlen(third) - 1] == ' ')
        third[strlen(third) - 1] = '\0';
    return name[strspn(name, capitals)] == '\0';
}

static struct entry *find_entry(struct entry *entries, size_t count, const char *name,
                                unsigned number, const char *third)
{
    for (size_t i = 0; i < count; i++) {
        struct entry *e = &entries[i];

        if (strcmp(e->name, name) == 0 && e->number == number && !e->seen &&
            (!e->sender || strcmp(e->sender, third) == 0))
            return e;
    }
    return NULL;
}

TEST(the_page_on_the_protocol_has_a_row_for_each_entry_and_no_other)
{
    static struct entry entries[128];
    size_t count = list_entries(entries);
    FILE *page = open_page();
    char line[4096], name[64], third[64];
    unsigned number;
    int wrong = 0;

    CHECK(page);
    while (fgets(line, sizeof(line), page)) {
        struct entry *e;

        if (!parse_row(line, name, &number, third))
            continue;
        e = find_entry(entries, count, name, number, third);
        if (e)
            e->seen = true;
        else
            wrong += printf("# not in wire.h, or twice: %s", line) > 0;
    }
    (void)fclose(page);
    for (size_t i = 0; i < count; i++)
        if (!entries[i].seen)
            wrong += printf("# not in docs/protocol.md: %s %u %s\n", entries[i].name,
                            entries[i].number, entries[i].sender ? entries[i].sender : "") > 0;
    CHECK(wrong == 0);
}

TEST(a_row_is_a_name_in_capitals_and_a_number)
{
    char name[64], third[64];
    unsigned number;

    CHECK(parse_row("| USER_NS | 0 | user namespace |\n", name, &number, third));
    CHECK(strcmp(name, "USER_NS") == 0 && number == 0 && strcmp(third, "user namespace") == 0);
    CHECK(parse_row("| JOB | 1 | host | more |\n", name, &number, third));
    CHECK(strcmp(third, "host") == 0);
    CHECK(!parse_row("| type | number | sent by |\n", name, &number, third));
    CHECK(!parse_row("| --- | --- | --- |\n", name, &number, third));
    CHECK(!parse_row("| JOB | host |\n", name, &number, third));
    CHECK(!parse_row("JOB 1\n", name, &number, third));
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
