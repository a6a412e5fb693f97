/*
 * clients_parts.h - what the files of clients.c share: clients.c (files and what is shown),
 * clients_server.c (translates one server).
 */
#ifndef CR_CLIENTS_PARTS_H
#define CR_CLIENTS_PARTS_H

#include "base/buf.h"
#include "base/json.h"
#include "cli/clients.h"

#define CR_CLIENTS_MAX_TEXT (4u << 20)
#define CR_CLIENTS_MAX_WHY 200

/* Where a program keeps the user's servers. */
struct cr_client {
    const char *program, *path;
    bool in_config;    /* the path is below XDG_CONFIG_HOME, else below HOME */
    bool has_comments; /* in the JSON */
    const char *outer,
        *in; /* the servers are in |in|, which is in |outer| or, if NULL, at the top */
};

struct cr_clients_reading {
    const struct cr_client *client;
    struct cr_clients *out;
    struct cr_buf left;      /* JSON of what was left out */
    struct cr_buf left_text; /* the same for a person */
    struct cr_buf variables; /* names, each with a space before it */
    const struct cJSON *map; /* all servers */
};

/* One server while it is translated. */
struct cr_clients_entry {
    struct cr_buf json;      /* of the server */
    struct cr_buf line;      /* its command line, as for a shell */
    struct cr_buf dropped;   /* keys that are not taken over */
    struct cr_buf own;       /* names of the variables in its "env", or of its headers */
    struct cr_buf variables; /* names of all that it needs from the environment */
    bool is_remote;
    char why[CR_CLIENTS_MAX_WHY]; /* why it cannot be taken over, or "" */
};

/*
 * Translates |server| into |e|. Returns false if caprun cannot take it over, and |e->why| says why.
 */
bool cr_clients_take_server(struct cr_clients_reading *r, struct cr_clients_entry *e,
                            const struct cJSON *server);

#endif
