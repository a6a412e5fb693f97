/* sockets.c - a table under a mutex. No socket in it is closed while it is being shut. */
#include "http/sockets.h"

#include <sys/socket.h>
#include <unistd.h>

#include "base/loop.h"

void cr_http_sockets_init(struct cr_http_sockets *s)
{
    (void)pthread_mutex_init(&s->mutex, NULL);
    s->count = 0;
    s->busy = -1;
    atomic_init(&s->since_us, 0);
}

void cr_http_sockets_clear(struct cr_http_sockets *s)
{
    (void)pthread_mutex_destroy(&s->mutex);
}

static curl_socket_t open_socket(void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct cr_http_sockets *s = data;
    curl_socket_t fd = CURL_SOCKET_BAD;

    (void)purpose;
    (void)pthread_mutex_lock(&s->mutex);
    if (s->count < CR_HTTP_SOCKETS)
        fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (fd != CURL_SOCKET_BAD)
        s->fds[s->count++] = fd;
    (void)pthread_mutex_unlock(&s->mutex);
    return fd;
}

static int close_socket(void *data, curl_socket_t fd)
{
    struct cr_http_sockets *s = data;
    int r;

    (void)pthread_mutex_lock(&s->mutex);
    for (int i = 0; i < s->count; i++)
        if (s->fds[i] == fd) {
            s->fds[i] = s->fds[--s->count];
            break;
        }
    r = close(fd);
    (void)pthread_mutex_unlock(&s->mutex);
    return r;
}

bool cr_http_sockets_set(struct cr_http_sockets *s, const struct cr_http_lib *lib, CURL *easy)
{
    return !lib->easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket) &&
           !lib->easy_setopt(easy, CURLOPT_OPENSOCKETDATA, s) &&
           !lib->easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket) &&
           !lib->easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, s);
}

void cr_http_sockets_begin(struct cr_http_sockets *s, int fd)
{
    (void)pthread_mutex_lock(&s->mutex);
    s->busy = fd;
    (void)pthread_mutex_unlock(&s->mutex);
    atomic_store(&s->since_us, cr_loop_now());
}

void cr_http_sockets_end(struct cr_http_sockets *s)
{
    atomic_store(&s->since_us, 0);
}

void cr_http_sockets_shut(struct cr_http_sockets *s, int64_t us)
{
    int64_t since_us;

    (void)pthread_mutex_lock(&s->mutex);
    since_us = atomic_load(&s->since_us);
    for (int i = 0; since_us && cr_loop_now() - since_us >= us && i < s->count; i++)
        if (s->busy < 0 || s->fds[i] == s->busy)
            (void)shutdown(s->fds[i], SHUT_RDWR);
    (void)pthread_mutex_unlock(&s->mutex);
}
