/* spawn.c - starts caprun-fetch: its descriptors, and the variables that libcurl needs. */
#include "http/spawn.h"

#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "http/fetch_wire.h"

/* The variables that libcurl and the dynamic linker read. */
static const char *const passed_on[] = {
    "http_proxy", "https_proxy",   "HTTPS_PROXY",  "all_proxy",    "ALL_PROXY",      "no_proxy",
    "NO_PROXY",   "SSL_CERT_FILE", "SSL_CERT_DIR", "OPENSSL_CONF", "LD_LIBRARY_PATH"};
#define PASSED_ON (sizeof(passed_on) / sizeof(passed_on[0]))

static void free_env(char *env[PASSED_ON + 1])
{
    for (size_t i = 0; env[i]; i++)
        free(env[i]);
}

static bool make_env(char *env[PASSED_ON + 1])
{
    size_t n = 0;

    for (size_t i = 0; i < PASSED_ON; i++) {
        const char *value = secure_getenv(passed_on[i]);

        env[n] = NULL;
        if (value && asprintf(&env[n], "%s=%s", passed_on[i], value) < 0) {
            env[n] = NULL;
            return false;
        }
        n += value != NULL;
    }
    env[n] = NULL;
    return true;
}

int cr_http_spawn(const char *path, int socket, int alive, pid_t *ret_pid)
{
    static char name[] = "caprun-fetch";
    char *env[PASSED_ON + 1] = {NULL};
    posix_spawn_file_actions_t actions;
    int r = posix_spawn_file_actions_init(&actions);

    if (r != 0)
        return r;
    if (!make_env(env))
        r = ENOMEM;
    if (r == 0)
        r = posix_spawn_file_actions_adddup2(&actions, socket, FETCH_SOCKET);
    if (r == 0)
        r = posix_spawn_file_actions_adddup2(&actions, alive, FETCH_ALIVE);
    if (r == 0)
        r = posix_spawn(ret_pid, path, &actions, NULL, (char *[]){name, NULL}, env);
    (void)posix_spawn_file_actions_destroy(&actions);
    free_env(env);
    return r;
}
