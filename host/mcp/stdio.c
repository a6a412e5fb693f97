/* stdio.c - makes a transport of a server's process, and an endpoint of its command. */
#include "mcp/stdio.h"

#include <stdlib.h>
#include <string.h>

#define LAST_WORDS "its last words: "
#define NOT_STARTED "could not be started"

struct connection {
    struct cr_transport transport;
    struct cr_child *child;
};

static struct cr_child *child_of(struct cr_transport *t)
{
    return cr_container(t, struct connection, transport)->child;
}

/* --- a connection ---------------------------------------------------------------------------- */

/* All that |label| says is in the message. */
static int send_message(struct cr_transport *t, const struct cr_transport_label *label,
                        const struct cr_outbox_part *parts, size_t count, struct cr_err *err)
{
    (void)label;
    return cr_child_send(child_of(t), parts, count, err);
}

static size_t waiting(struct cr_transport *t)
{
    return cr_child_waiting(child_of(t));
}

/* Only a notification tells the server. */
static bool drop(struct cr_transport *t, uint64_t id)
{
    (void)t;
    (void)id;
    return false;
}

static void find_types(struct cr_transport *t)
{
    cr_child_find_types(child_of(t));
}

static void stop(struct cr_transport *t)
{
    cr_child_stop(child_of(t));
}

static bool is_ending(struct cr_transport *t)
{
    return cr_child_is_ending(child_of(t));
}

static bool is_missing(struct cr_transport *t)
{
    return cr_child_is_missing(child_of(t));
}

static bool has_expired(struct cr_transport *t)
{
    (void)t;
    return false;
}

/* Leaves out the path of a missing command: the untrusted code may see this text. */
static const char *why(struct cr_transport *t)
{
    return is_missing(t) ? NOT_STARTED : cr_child_why(child_of(t));
}

/* Appends what follows NOT_STARTED in the text of the child. */
static void add_what_is_missing(const char *words, size_t max, struct cr_buf *out)
{
    const char *colon = strchr(words, ':');

    cr_buf_fmt(out, "%.*s", (int)max, colon ? colon + 2 : words);
}

static void hint(struct cr_transport *t, size_t max, struct cr_buf *out)
{
    size_t before = out->len, prefix = strlen(LAST_WORDS);

    if (is_missing(t)) {
        add_what_is_missing(cr_child_why(child_of(t)), max, out);
        return;
    }
    if (max < prefix)
        return;
    cr_buf_add(out, LAST_WORDS, prefix);
    cr_child_last_words(child_of(t), " | ", max - prefix, out);
    if (out->len == before + prefix)
        out->len = before; /* the server has written nothing */
}

static void free_connection(struct cr_transport *t)
{
    cr_child_free(child_of(t));
    free(cr_container(t, struct connection, transport));
}

static const struct cr_transport_ops ops = {.send = send_message,
                                            .drop = drop,
                                            .waiting = waiting,
                                            .find_types = find_types,
                                            .stop = stop,
                                            .is_ending = is_ending,
                                            .why = why,
                                            .is_missing = is_missing,
                                            .has_expired = has_expired,
                                            .hint = hint,
                                            .free = free_connection};

/* --- an endpoint ----------------------------------------------------------------------------- */

struct command {
    struct cr_endpoint endpoint; /* the first, so that both have the same address */
    char *guard, *cwd;
    char **argv, **envp;
};

/* Copies into one block, which is freed by one free(). */
static char **copy_list(const char *const *list)
{
    size_t count = 0, bytes = 0;
    char **copy, *text;

    for (; list[count]; count++)
        bytes += strlen(list[count]) + 1;
    copy = malloc((count + 1) * sizeof(*copy) + bytes);
    if (!copy)
        return NULL;
    text = (char *)(copy + count + 1);
    for (size_t i = 0; i < count; i++) {
        copy[i] = text;
        text = stpcpy(text, list[i]) + 1;
    }
    copy[count] = NULL;
    return copy;
}

static int start(struct cr_endpoint *endpoint, struct cr_loop *loop,
                 const struct cr_transport_owner *owner, void *data, struct cr_transport **ret,
                 struct cr_err *err)
{
    const struct command *command = cr_container(endpoint, struct command, endpoint);
    struct cr_child_spec spec = {.guard = command->guard,
                                 .argv = (const char *const *)command->argv,
                                 .envp = (const char *const *)command->envp,
                                 .cwd = command->cwd};
    struct connection *c = malloc(sizeof(*c));
    int r;

    if (!c)
        return cr_err_set(err, CAPRUN_E_NOMEM, "no memory to start '%s'", command->argv[0]);
    c->transport.ops = &ops;
    r = cr_child_start(loop, &spec, owner, data, &c->child, err);
    if (r < 0) {
        free(c);
        return r;
    }
    *ret = &c->transport;
    return 0;
}

static void free_command(struct command *command)
{
    free(command->guard);
    free(command->cwd);
    free(command->argv);
    free(command->envp);
    free(command);
}

static void free_endpoint(struct cr_endpoint *endpoint)
{
    free_command(cr_container(endpoint, struct command, endpoint));
}

struct cr_endpoint *cr_stdio_new(const struct cr_child_spec *spec)
{
    struct command *command = calloc(1, sizeof(*command));

    if (!command)
        return NULL;
    command->guard = strdup(spec->guard);
    command->cwd = strdup(spec->cwd);
    command->argv = copy_list(spec->argv);
    command->envp = copy_list(spec->envp);
    command->endpoint = (struct cr_endpoint){
        .key = (const char *const *)command->argv, .start = start, .free = free_endpoint};
    if (command->guard && command->cwd && command->argv && command->envp)
        return (struct cr_endpoint *)command; /* gcc's analyzer thinks that a member leaks */
    free_command(command);
    return NULL;
}
