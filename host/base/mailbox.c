/* mailbox.c - a list under a mutex, and an eventfd. */
#include "base/mailbox.h"

#include <sys/eventfd.h>
#include <unistd.h>

static void ring(struct cr_mailbox *box)
{
    uint64_t once = 1;

    (void)!write(box->bell.fd, &once, sizeof(once));
}

struct cr_mail *cr_mailbox_take(struct cr_mailbox *box)
{
    struct cr_mail *mail;

    (void)pthread_mutex_lock(&box->mutex);
    mail = box->first;
    if (mail) {
        box->first = mail->next;
        if (!box->first)
            box->last = &box->first;
    }
    (void)pthread_mutex_unlock(&box->mutex);
    return mail;
}

/* What does not fit into the turn is received in the next. */
static void bell_rang(struct cr_watch *watch, uint32_t events)
{
    struct cr_mailbox *box = cr_container(watch, struct cr_mailbox, bell);
    struct cr_loop *loop = box->loop;
    struct cr_mail *mail;
    uint64_t times;

    (void)events;
    (void)!read(watch->fd, &times, sizeof(times));
    while ((mail = cr_mailbox_take(box))) {
        box->receive(box->data, mail);
        if (cr_loop_turn_is_over(loop)) {
            ring(box);
            return;
        }
    }
}

int cr_mailbox_init(struct cr_mailbox *box, struct cr_loop *loop,
                    void (*receive)(void *data, struct cr_mail *mail), void *data,
                    struct cr_err *err)
{
    int r;

    *box = (struct cr_mailbox){.loop = loop,
                               .receive = receive,
                               .data = data,
                               .bell = {.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                                        .ready = bell_rang,
                                        .name = "mailbox"}};
    box->last = &box->first;
    if (box->bell.fd < 0)
        return cr_err_sys(err, "eventfd");
    r = cr_loop_add(loop, &box->bell, EPOLLIN, err);
    if (r < 0) {
        (void)close(box->bell.fd);
        return r;
    }
    (void)pthread_mutex_init(&box->mutex, NULL);
    box->is_there = true;
    return 0;
}

void cr_mailbox_send(struct cr_mailbox *box, struct cr_mail *mail)
{
    bool is_first;

    mail->next = NULL;
    (void)pthread_mutex_lock(&box->mutex);
    is_first = !box->first;
    *box->last = mail;
    box->last = &mail->next;
    (void)pthread_mutex_unlock(&box->mutex);
    if (is_first)
        ring(box);
}

void cr_mailbox_clear(struct cr_mailbox *box)
{
    if (!box->is_there)
        return;
    cr_loop_remove(box->loop, &box->bell);
    (void)close(box->bell.fd);
    (void)pthread_mutex_destroy(&box->mutex);
    box->is_there = false;
}
