/* trust.c - decides whether a configuration may be used, asks about it, and `caprun trust`. */
#include "cli/trust.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/ask.h"
#include "cli/columns.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/settings.h"
#include "cli/trust_show.h"
#include "cli/trust_store.h"

#define MAX_TEXT (128u << 20)

/* A file that is looked at, and what was accepted at its place. */
struct look {
    const struct cr_config *config;
    char place[PATH_MAX];
    struct cr_buf text;     /* what was accepted */
    struct cr_json_doc doc; /* of |text|; all zeros: nothing was */
    size_t count;           /* of the things that need to be accepted */
    struct cr_trust_show show;
};

static void begin_look(struct look *l, const struct cr_config *config)
{
    *l = (struct look){.config = config, .text = CR_BUF(MAX_TEXT)};
    cr_trust_show_init(&l->show);
}

static void end_look(struct look *l)
{
    cr_json_clear(&l->doc);
    cr_buf_clear(&l->text);
    cr_trust_show_clear(&l->show);
}

/* --- what needs to be accepted ------------------------------------------------------------ */

/* Registries that only seem to be below the file: their text alone needs no acceptance. */
static void find_links(struct look *l, cr_wider_fn found)
{
    const struct cJSON *list = cr_json_get(l->config->doc.root, "registries");
    cr_autoclose int dir = list ? open(l->config->dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

    for (const struct cJSON *v = cr_json_first(list); v; v = cr_json_next(v)) {
        struct cr_wider wider = {.kind = CR_WIDER_REGISTRY, .now = v};

        if (!cr_wider_is_below(v) || cr_file_is_below(dir, cr_json_text(v)))
            continue;
        l->count++;
        if (found)
            found(&l->show, &wider);
    }
}

/* Finds what the file starts or allows beyond |was|, and counts it; adds it to what is shown. */
static int find_wider(struct look *l, const struct cJSON *was, bool shows, struct cr_err *why)
{
    const struct cr_config *user = l->config->user;

    if (cr_wider_find(was, l->config->doc.root, user ? user->doc.root : NULL,
                      shows ? cr_trust_show_add : NULL, &l->show, &l->count) < 0)
        return cr_err_memory(why);
    if (!was && (shows || !l->count))
        find_links(l, shows ? cr_trust_show_add : NULL);
    return 0;
}

/* Reads what was accepted. Returns 0, 1 if nothing was, or an error. */
static int read_accepted(struct look *l, struct cr_err *why)
{
    struct cr_err err;
    int r = cr_trust_store_place(l->config->path, l->place, why);

    if (r == 0)
        r = cr_trust_store_read(l->place, &l->text, why);
    if (r != 0 || (l->text.len == l->config->text.len &&
                   memcmp(l->text.data, l->config->text.data, l->text.len) == 0))
        return r;
    if (cr_json_parse(l->text.data, l->text.len, &l->doc, &err) == 0)
        return 0;
    return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR,
                      "accept it again: caprun trust --withdraw, then caprun trust",
                      "what was accepted of '%s' is no configuration: %s", l->config->path,
                      err.text);
}

static bool is_from_environment(void)
{
    const char *value = getenv("CAPRUN_TRUST");

    return value && strcmp(value, "1") == 0;
}

static int judge(struct look *l, bool uses_environment, enum cr_trust_state *ret,
                 struct cr_err *why)
{
    int r = find_wider(l, NULL, false, why);

    *ret = CR_TRUST_IS_FREE;
    if (r < 0 || !l->count)
        return r;
    *ret = CR_TRUST_IS_FROM_ENVIRONMENT;
    if (uses_environment && is_from_environment())
        return 0;
    r = read_accepted(l, why);
    if (r == 0 && l->doc.root)
        r = find_wider(l, l->doc.root, false, why);
    else if (r == 0)
        l->count = 0;
    *ret = r == 0 && !l->count ? CR_TRUST_IS_ACCEPTED : CR_TRUST_IS_MISSING;
    return r < 0 ? r : 0;
}

/* --- words -------------------------------------------------------------------------------- */

/* Appends the options that name the file, for a command that a person types. */
static void add_options(struct cr_buf *out, const struct cr_options *o)
{
    const char *file = cr_settings_file(o);

    if (!file)
        return;
    cr_buf_str(out, " --config ");
    cr_escape_shell_word(out, file);
}

static void compose(struct look *l, struct cr_buf *out)
{
    const char *path = l->config->path;

    cr_escape_terminal(out, path, strlen(path));
    cr_buf_str(out, l->doc.root ? "\nhas changed since you accepted it. Now it would also:\n"
                                : "\nwould, if you accept it:\n");
    cr_trust_show_text(out, &l->show);
}

static int refuse(struct look *l, const struct cr_options *o, bool was_asked, struct cr_err *why)
{
    cr_autobuf struct cr_buf options = CR_BUF(2 * PATH_MAX);
    char summary[256];

    cr_trust_show_summary(&l->show, summary);
    add_options(&options, o);
    (void)cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR, NULL,
                     l->doc.root ? "'%s' has changed since you accepted it, so nothing was "
                                   "started: it would also %s"
                                 : "you have not accepted '%s' yet, so nothing was started: it "
                                   "would %s",
                     l->config->path, summary);
    if (was_asked)
        return CAPRUN_E_INVAL;
    return cr_err_hint(why,
                       "see what it would do, and accept it, at a terminal: caprun trust%s\n"
                       "in CI, where nobody can be asked: CAPRUN_TRUST=1",
                       cr_buf_text(&options) ? cr_buf_text(&options) : "");
}

/* Shows the file, and asks. Returns 0 if it was accepted, 1 if not, or an error. */
static int ask(struct look *l, struct cr_err *why)
{
    cr_autobuf struct cr_buf out = CR_BUF(MAX_TEXT);
    cr_autobuf struct cr_buf question = CR_BUF(1024);
    char summary[256], words[320];

    compose(l, &out);
    cr_trust_show_summary(&l->show, summary);
    (void)snprintf(words, sizeof(words), "Let it %s? [y/N]", summary);
    cr_columns_wrap(&question, words, strlen(words), 0, 0, l->show.columns);
    cr_buf_str(&question, " ");
    if (cr_buf_err(&out) || !cr_buf_text(&question))
        return cr_err_memory(why);
    if (cr_file_write_all(STDERR_FILENO, out.data, out.len) < 0 ||
        !cr_ask_yes(cr_buf_text(&question)))
        return 1;
    return cr_trust_store_write(l->place, l->config->text.data, l->config->text.len, why);
}

/* --- the gate ----------------------------------------------------------------------------- */

static int decide(struct cr_trust *t, struct look *l, struct cr_config *config, struct cr_err *why)
{
    int r = judge(l, true, &t->state, why);

    config->by_environment = r == 0 && t->state == CR_TRUST_IS_FROM_ENVIRONMENT;
    if (r < 0 || t->state != CR_TRUST_IS_MISSING)
        return r;
    if (t->need == CR_TRUST_NEED_SHOW) {
        config->is_plain = true;
        return 0;
    }
    l->show.columns = cr_columns_available(STDERR_FILENO);
    r = cr_config_check_plain(config, why);
    if (r == 0)
        r = find_wider(l, l->doc.root, true, why);
    if (r < 0)
        return r;
    if (t->need != CR_TRUST_NEED_ASK || t->options->no_input || !cr_ask_is_possible())
        return refuse(l, t->options, false, why);
    r = ask(l, why);
    if (r == 0)
        t->state = CR_TRUST_IS_ACCEPTED;
    return r == 1 ? refuse(l, t->options, true, why) : r;
}

int cr_trust_decide(void *trust, struct cr_config *config, struct cr_err *why)
{
    struct look l;
    int r;

    begin_look(&l, config);
    r = decide(trust, &l, config, why);
    end_look(&l);
    return r;
}

int cr_trust_accept_own(const char *path, const void *bytes, size_t len, struct cr_err *why)
{
    char place[PATH_MAX];
    int r = cr_trust_store_place(path, place, why);

    return r == 0 ? cr_trust_store_write(place, bytes, len, why) : r;
}

/* --- caprun trust ------------------------------------------------------------------------- */

struct review {
    const struct cr_options *options;
    enum cr_trust_state state;
    bool has_file;
    struct cr_buf out;
};

static void add_json(struct review *v, const struct look *l)
{
    static const char *const names[] = {[CR_TRUST_IS_FREE] = "not needed",
                                        [CR_TRUST_IS_ACCEPTED] = "accepted",
                                        [CR_TRUST_IS_MISSING] = "missing"};

    cr_buf_str(&v->out, "{\"path\":");
    cr_escape_json_str(&v->out, l->config->path);
    cr_escape_member(&v->out, "trust", names[v->state]);
    cr_buf_str(&v->out, ",\"would\":");
    cr_trust_show_json(&v->out, &l->show);
    cr_buf_str(&v->out, "}\n");
}

/* Accepts the file, or shows it if no person can be asked. */
static int review_missing(struct review *v, struct look *l, struct cr_err *why)
{
    bool asks = !v->options->json && !v->options->no_input && cr_ask_is_possible();
    int r;

    l->show.columns = v->options->json ? CR_COLUMNS_ALL
                                       : cr_columns_available(asks ? STDERR_FILENO : STDOUT_FILENO);
    r = find_wider(l, l->doc.root, true, why);
    if (r == 0 && asks)
        r = ask(l, why);
    else if (r == 0 && !v->options->json)
        compose(l, &v->out);
    if (asks && r == 0) {
        v->state = CR_TRUST_IS_ACCEPTED;
        cr_buf_str(&v->out, "Accepted. To take that back: caprun trust --withdraw");
        add_options(&v->out, v->options);
        cr_buf_str(&v->out, "\n");
    }
    return r < 0 ? r : 0;
}

static int review_file(void *data, struct cr_config *config, struct cr_err *why)
{
    struct review *v = data;
    struct look l;
    int r;

    begin_look(&l, config);
    v->has_file = true;
    config->is_plain = true;
    r = cr_config_check_plain(config, why);
    if (r == 0)
        r = judge(&l, false, &v->state, why);
    if (r == 0 && v->state == CR_TRUST_IS_MISSING)
        r = review_missing(v, &l, why);
    else if (r == 0 && !v->options->json) {
        cr_escape_terminal(&v->out, config->path, strlen(config->path));
        cr_buf_str(&v->out, v->state == CR_TRUST_IS_FREE
                                ? "\nneeds no acceptance: it starts and allows nothing.\n"
                                : "\nis accepted.\n");
    }
    if (r == 0 && v->options->json)
        add_json(v, &l);
    end_look(&l);
    return r;
}

static int end_missing(const struct review *v, struct caprun_run *run)
{
    struct cr_err why;

    if (is_from_environment()) {
        cr_output_note("CAPRUN_TRUST=1 accepts it for one process; that is not kept");
        return 0;
    }
    if (v->options->json)
        return caprun_outcome_status(CAPRUN_OUTCOME_CONFIG_ERROR);
    (void)cr_err_end(&why, CAPRUN_OUTCOME_CONFIG_ERROR,
                     cr_ask_is_possible() && !v->options->no_input
                         ? NULL
                         : "type the same command at a terminal, and answer its question",
                     "the configuration was not accepted, and nothing has changed");
    return cr_launch_reject(run, &why);
}

static int review(struct caprun_run *run, const struct cr_options *o)
{
    struct review v = {.options = o, .out = CR_BUF(MAX_TEXT)};
    struct cr_config_gate gate = {review_file, &v};
    char user[PATH_MAX];
    struct cr_config config;
    struct cr_err why;
    int r;

    cr_settings_user_file(user);
    r = cr_config_load_gated(cr_settings_file(o), user[0] ? user : NULL, &gate, &config, &why);
    if (r == 0)
        cr_config_clear(&config);
    if (r == 0 && !v.has_file)
        r = cr_err_end(&why, CAPRUN_OUTCOME_CONFIG_ERROR, "caprun init makes one",
                       "there is no " CR_CONFIG_NAME " from the working directory upwards");
    if (r < 0)
        r = cr_launch_reject(run, &why);
    else if ((o->json ? cr_output_json : cr_output_text)(&v.out) < 0)
        r = caprun_outcome_status(CAPRUN_OUTCOME_INTERNAL);
    else if (v.state == CR_TRUST_IS_MISSING)
        r = end_missing(&v, run);
    cr_buf_clear(&v.out);
    return r;
}

/* --- caprun trust --list and --withdraw --------------------------------------------------- */

struct list {
    struct cr_buf out;
    bool json, has_any;
};

static void list_one(void *data, const char *place, const char *trouble)
{
    struct list *l = data;

    if (l->json) {
        cr_buf_str(&l->out, l->has_any ? ",{\"path\":" : "{\"path\":");
        cr_escape_json_str(&l->out, place);
        if (trouble)
            cr_escape_member(&l->out, "trouble", trouble);
        cr_buf_str(&l->out, "}");
    } else {
        cr_escape_terminal(&l->out, place, strlen(place));
        cr_buf_str(&l->out, trouble ? ": " : "");
        cr_escape_terminal(&l->out, trouble ? trouble : "", trouble ? strlen(trouble) : 0);
        cr_buf_str(&l->out, "\n");
    }
    l->has_any = true;
}

static int list_all(struct caprun_run *run, const struct cr_options *o)
{
    struct list l = {.out = CR_BUF(MAX_TEXT), .json = o->json};
    struct cr_err why;
    int r;

    cr_buf_str(&l.out, o->json ? "{\"accepted\":[" : "");
    r = cr_trust_store_each(list_one, &l, &why);
    cr_buf_str(&l.out, o->json ? "]}\n" : "");
    if (r < 0)
        r = cr_launch_reject(run, &why);
    else if ((o->json ? cr_output_json : cr_output_text)(&l.out) < 0)
        r = caprun_outcome_status(CAPRUN_OUTCOME_INTERNAL);
    cr_buf_clear(&l.out);
    return r;
}

/* Finds the file that an acceptance is about. The caller frees *|ret|. */
static int find_file(const struct cr_options *o, char **ret, struct cr_err *why)
{
    cr_autofree char *here = getcwd(NULL, 0);
    int r;

    if (cr_settings_file(o)) {
        *ret = here ? cr_config_path(here, cr_settings_file(o)) : NULL;
        return *ret ? 0 : cr_err_memory(why);
    }
    r = cr_config_find_path(ret, why);
    return r == 1 ? cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR,
                               "name the file: caprun trust --withdraw --config FILE",
                               "there is no " CR_CONFIG_NAME " from the working directory upwards")
                  : r;
}

/* The file itself may be gone, and its directory too: then its path is its place. */
static int find_withdrawn(const struct cr_options *o, char ret[PATH_MAX], struct cr_err *why)
{
    char *path = NULL;
    int r = find_file(o, &path, why);

    if (r == 0 && cr_trust_store_place(path, ret, why) < 0)
        (void)snprintf(ret, PATH_MAX, "%s", path);
    free(path);
    return r;
}

static int withdraw(struct caprun_run *run, const struct cr_options *o)
{
    cr_autobuf struct cr_buf out = CR_BUF(MAX_TEXT);
    char place[PATH_MAX];
    struct cr_err why;
    int r = find_withdrawn(o, place, &why);

    if (r == 0)
        r = cr_trust_store_remove(place, &why);
    if (r < 0)
        return cr_launch_reject(run, &why);
    if (o->json) {
        cr_buf_str(&out, "{\"path\":");
        cr_escape_json_str(&out, place);
        cr_buf_fmt(&out, ",\"withdrawn\":%s}\n", r == 0 ? "true" : "false");
        return cr_output_json(&out) < 0 ? caprun_outcome_status(CAPRUN_OUTCOME_INTERNAL) : 0;
    }
    cr_escape_terminal(&out, place, strlen(place));
    cr_buf_str(&out, r == 0 ? "\nis no longer accepted.\n" : "\nwas not accepted.\n");
    return cr_output_text(&out) < 0 ? caprun_outcome_status(CAPRUN_OUTCOME_INTERNAL) : 0;
}

int cr_cli_trust(struct caprun_run *run, const struct cr_options *o)
{
    if (o->list && o->withdraw) {
        caprun_reject(run, CAPRUN_OUTCOME_USAGE, "--list and --withdraw cannot both be given",
                      NULL);
        return -1;
    }
    return o->list ? list_all(run, o) : o->withdraw ? withdraw(run, o) : review(run, o);
}
