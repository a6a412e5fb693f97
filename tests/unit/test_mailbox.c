/* test_mailbox.c - messages between threads: all of them, once, in their order. */
#include "tap.h"

#include <stdlib.h>

#include "base/mailbox.h"

#define COUNT 20000

struct letter {
    struct cr_mail mail;
    int number;
};

static struct cr_loop loop;
static struct cr_mailbox box;
static struct letter letters[COUNT];
static int received, out_of_order, steps;

static void receive(void *data, struct cr_mail *mail)
{
    out_of_order += cr_container(mail, struct letter, mail)->number != received;
    received++;
    if (data == &received && received == 1)
        cr_mailbox_send(&box, &letters[1].mail);
}

static bool begin(void *data)
{
    received = out_of_order = steps = 0;
    for (int i = 0; i < COUNT; i++)
        letters[i].number = i;
    return cr_loop_init(&loop, NULL) == 0 && cr_mailbox_init(&box, &loop, receive, data, NULL) == 0;
}

static void end(void)
{
    cr_mailbox_clear(&box);
    cr_mailbox_clear(&box);
    cr_loop_clear(&loop);
}

static void *send_all(void *data)
{
    (void)data;
    for (int i = 0; i < COUNT; i++)
        cr_mailbox_send(&box, &letters[i].mail);
    return NULL;
}

TEST(messages_of_another_thread_arrive_in_their_order)
{
    pthread_t sender;

    CHECK(begin(NULL) && pthread_create(&sender, NULL, send_all, NULL) == 0);
    while (received < COUNT)
        cr_loop_step(&loop, -1);
    CHECK(pthread_join(sender, NULL) == 0 && out_of_order == 0);
    CHECK(!cr_mailbox_take(&box));
    end();
}

TEST(many_messages_are_received_in_many_turns)
{
    CHECK(begin(NULL));
    loop.turn_us = 0; /* each turn is over at once */
    for (int i = 0; i < 10; i++)
        cr_mailbox_send(&box, &letters[i].mail);
    for (; received < 10; steps++)
        cr_loop_step(&loop, -1);
    CHECK(steps == 10 && out_of_order == 0);
    end();
}

TEST(a_message_may_be_sent_while_one_is_received)
{
    CHECK(begin(&received));
    cr_mailbox_send(&box, &letters[0].mail);
    while (received < 2)
        cr_loop_step(&loop, -1);
    CHECK(out_of_order == 0);
    end();
}

TEST(what_was_not_received_is_the_senders_again)
{
    CHECK(begin(NULL));
    cr_mailbox_send(&box, &letters[0].mail);
    cr_mailbox_send(&box, &letters[1].mail);
    CHECK(cr_mailbox_take(&box) == &letters[0].mail && cr_mailbox_take(&box) == &letters[1].mail);
    CHECK(!cr_mailbox_take(&box) && received == 0);
    end();
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
