/* dialogue.c - shows questions about calls and understands what a person types. */
#include "cli/dialogue.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/colour.h"

#define MAX_SAID (1u << 20)
#define LEAST_ROWS 4u   /* of the args, however low the terminal is */
#define LINES_AROUND 4u /* an empty line, the title, what is left, the line to type at */
#define USUAL_HEAD 5u   /* lines that say who asks */
#define MOST_CHOICES 8u

static struct cr_dialogue *dialogue_of(struct cr_terminal *t)
{
    return cr_container(t, struct cr_dialogue, terminal);
}

/* --- what is asked about ---------------------------------------------------------------------- */

static const struct cr_inquiry *current(const struct cr_dialogue *d)
{
    return &d->list->q;
}

static const struct cr_inquiry_tool *current_tool(const struct cr_dialogue *d)
{
    return &d->list->q.tools[0];
}

static bool is_picking(const struct cr_dialogue *d)
{
    return d->picked && d->picked_run == d->list->run &&
           strcmp(d->picked, current_tool(d)->name) == 0;
}

static void ask_now(struct cr_dialogue *d)
{
    d->page = CR_DIALOGUE_ASKS;
    d->first = 0;
    d->count = is_picking(d) ? 1 : current_tool(d)->count;
    cr_show_begin(&d->show, current(d), current_tool(d), d->first, d->count, d->columns);
    cr_terminal_ask(&d->terminal);
}

static void free_question(struct cr_dialogue_question **at)
{
    struct cr_dialogue_question *one = *at;

    *at = one->next;
    cr_inquiry_clear(&one->q);
    free(one);
}

/* The first question has ended: shows |text|, which may be NULL, and asks the next one. */
static void end_question(struct cr_dialogue *d, const char *text)
{
    free_question(&d->list);
    cr_terminal_end(&d->terminal, text);
    if (d->list)
        ask_now(d);
}

/* --- the question ----------------------------------------------------------------------------- */

struct choice {
    char letter;
    const char *words;
};

static bool can_remember(const struct cr_dialogue *d)
{
    return current_tool(d)->rule_count && !is_picking(d) && d->grants;
}

/* Fills in the choices of this question. Returns how many there are. */
static size_t list_choices(const struct cr_dialogue *d, bool has_more,
                           struct choice ret[MOST_CHOICES])
{
    bool many = d->count > 1;
    size_t n = 0;

    ret[n++] = (struct choice){'y', many ? "yes, all these calls" : "yes, this call"};
    ret[n++] = (struct choice){'r', "yes, and every other call of this tool in this run"};
    if (can_remember(d))
        ret[n++] = (struct choice){'a', "always: shows the rules that can be remembered"};
    ret[n++] = (struct choice){'n', many ? "no, none of these calls" : "no, not this call"};
    ret[n++] = (struct choice){'x', "no, and no other call of this tool in this run"};
    if (many)
        ret[n++] = (struct choice){'p', "decide about each of these calls by itself"};
    if (has_more)
        ret[n++] = (struct choice){'m', "show more of the args"};
    return n;
}

static void set_prompt(struct cr_dialogue *d, bool has_more)
{
    struct choice choices[MOST_CHOICES];
    size_t n = list_choices(d, has_more, choices);
    char letters[3 * MOST_CHOICES + 8] = "";

    for (size_t i = 0; i < n; i++)
        (void)snprintf(letters + strlen(letters), sizeof(letters) - strlen(letters), "%s%c",
                       i == 0       ? ""
                       : i == n - 1 ? " or "
                                    : ", ",
                       choices[i].letter);
    (void)snprintf(d->terminal.prompt, sizeof(d->terminal.prompt),
                   "caprun: type %s, then Enter: ", letters);
}

static void add_title(const struct cr_dialogue *d, struct cr_buf *out)
{
    const char *bold = cr_colour_code(STDERR_FILENO, CR_COLOUR_HEAD);
    const char *plain = cr_colour_code(STDERR_FILENO, CR_COLOUR_NONE);
    const struct cr_inquiry *q = current(d);
    size_t others = 0;

    for (size_t i = 0; i < q->tool_count; i++)
        others += q->tools[i].count;
    others -= d->first + d->count;
    if (d->count == 1)
        cr_buf_fmt(out, "\n%scaprun: may this call be made?%s", bold, plain);
    else
        cr_buf_fmt(out, "\n%scaprun: may these %zu calls be made?%s", bold, d->count, plain);
    if (others)
        cr_buf_fmt(out, " (%zu more %s)", others, others == 1 ? "waits" : "wait");
    cr_buf_str(out, "\n");
}

static size_t count_lines(const struct cr_buf *text)
{
    size_t n = 0;

    for (size_t i = 0; i < text->len; i++)
        n += text->data[i] == '\n';
    return n;
}

static void add_rest(struct cr_dialogue *d, struct cr_buf *out)
{
    size_t before = out->len;

    cr_buf_str(out, "  … ");
    if (cr_show_rest(&d->show, out)) {
        cr_buf_str(out, "; m and Enter shows more\n");
        set_prompt(d, true);
    } else {
        out->len = before;
        set_prompt(d, false);
    }
}

static size_t at_least(size_t rows, size_t taken)
{
    return rows > taken + LEAST_ROWS ? rows - taken : LEAST_ROWS;
}

static void add_question(struct cr_dialogue *d, struct cr_buf *out)
{
    cr_autobuf struct cr_buf head = CR_BUF(MAX_SAID * 16);
    struct choice choices[MOST_CHOICES];
    size_t n = list_choices(d, true, choices), around = n + LINES_AROUND;

    cr_show_rewind(&d->show, d->columns);
    cr_show_head(&d->show, at_least(d->rows, around + USUAL_HEAD), &head);
    add_title(d, out);
    cr_buf_add(out, head.data, head.len);
    (void)cr_show_page(&d->show, at_least(d->rows, around + count_lines(&head)), out);
    add_rest(d, out);
    n = list_choices(d, d->show.section != CR_SHOW_END, choices);
    for (size_t i = 0; i < n; i++)
        cr_buf_fmt(out, "  %s%c%s  %s\n", cr_colour_code(STDERR_FILENO, CR_COLOUR_HINT),
                   choices[i].letter, cr_colour_code(STDERR_FILENO, CR_COLOUR_NONE),
                   choices[i].words);
}

static void add_page(struct cr_dialogue *d, struct cr_buf *out)
{
    if (!cr_show_page(&d->show, at_least(d->rows, 3), out))
        cr_buf_str(out, "  that was all\n");
    add_rest(d, out);
}

/* --- rules to remember ------------------------------------------------------------------------ */

/* Appends the rule |i|, which is chosen by its number and |suffix|. */
static void add_rule(const struct cr_dialogue *d, size_t i, const char *suffix, const char *json,
                     struct cr_buf *out)
{
    char label[16];

    (void)snprintf(label, sizeof(label), "%zu%s", i + 1, suffix);
    cr_show_labelled(out, label, json, d->columns);
}

static void add_rules(struct cr_dialogue *d, struct cr_buf *out)
{
    const struct cr_inquiry_tool *tool = current_tool(d);

    cr_buf_str(out, "\ncaprun: which rule shall be remembered? It counts only as long as the code, "
                    "the\n  tool and the server stay as they are.\n");
    for (size_t i = 0; i < tool->rule_count; i++) {
        const struct cr_inquiry_rule *rule = &tool->rules[i];

        add_rule(d, i, "", rule->own, out);
        if (d->project && strcmp(rule->own, rule->project) != 0)
            add_rule(d, i, "p", rule->project, out);
    }
    cr_buf_str(out, "  A number writes the rule into your own grants,\n");
    cr_show_labelled(out, "", d->grants, d->columns);
    if (d->project) {
        cr_buf_str(out, "  a number and p (1p) into the configuration of the project,\n");
        cr_show_labelled(out, "", d->project, d->columns);
    }
    (void)snprintf(d->terminal.prompt, sizeof(d->terminal.prompt),
                   "caprun: type a number%s, or b to go back, then Enter: ",
                   d->project ? ", a number and p" : "");
}

/* --- answers ---------------------------------------------------------------------------------- */

static void decide(struct cr_dialogue *d, struct cr_dialogue_answer *answer, struct cr_buf *out)
{
    cr_autobuf struct cr_buf said = CR_BUF(MAX_SAID);

    answer->question = d->list;
    answer->tool = current_tool(d);
    answer->first = d->first;
    /* an answer for the run is also about the calls that were to be decided one by one */
    answer->count = answer->scope == CR_DIALOGUE_CALLS ? d->count : answer->tool->count;
    if (d->ops->decide(d, answer, &said))
        end_question(d, cr_buf_text(&said));
    else
        cr_buf_add(out, said.data, said.len);
}

static void answer_rule(struct cr_dialogue *d, const char *line, struct cr_buf *out)
{
    const struct cr_inquiry_tool *tool = current_tool(d);
    size_t n = (size_t)(line[0] - '1');
    bool in_project = line[0] && line[1] == 'p' && d->project;

    if (strcmp(line, "b") == 0) {
        d->page = CR_DIALOGUE_ASKS;
        add_question(d, out);
    } else if (!line[0]) {
        add_rules(d, out);
    } else if (line[0] < '1' || n >= tool->rule_count || line[in_project ? 2 : 1]) {
        cr_buf_str(out, "  this is none of the answers\n");
    } else {
        struct cr_dialogue_answer answer = {.allows = true,
                                            .scope = CR_DIALOGUE_RULE,
                                            .rule = &tool->rules[n],
                                            .in_project = in_project};

        decide(d, &answer, out);
    }
}

static void begin_picking(struct cr_dialogue *d)
{
    free(d->picked);
    d->picked = strdup(current_tool(d)->name);
    d->picked_run = d->list->run;
    ask_now(d);
}

static bool is_offered(const struct cr_dialogue *d, char letter)
{
    struct choice choices[MOST_CHOICES];
    size_t n = list_choices(d, true, choices);

    for (size_t i = 0; i < n; i++)
        if (choices[i].letter == letter)
            return true;
    return false;
}

static void answer_letter(struct cr_dialogue *d, char letter, struct cr_buf *out)
{
    struct cr_dialogue_answer answer = {.allows = letter == 'y' || letter == 'r'};

    switch (letter) {
    case 'a':
        d->page = CR_DIALOGUE_RULES;
        add_rules(d, out);
        break;
    case 'p':
        begin_picking(d);
        break;
    case 'm':
        add_page(d, out);
        break;
    default:
        answer.scope = letter == 'r' || letter == 'x' ? CR_DIALOGUE_RUN : CR_DIALOGUE_CALLS;
        decide(d, &answer, out);
        break;
    }
}

static void take_line(struct cr_terminal *t, const char *line, struct cr_buf *out)
{
    struct cr_dialogue *d = dialogue_of(t);
    char word[CR_TERMINAL_LINE + 1];
    size_t len;

    while (isblank((unsigned char)*line))
        line++;
    (void)snprintf(word, sizeof(word), "%s", line);
    for (len = strlen(word); len && isspace((unsigned char)word[len - 1]); len--)
        word[len - 1] = '\0';
    if (d->page == CR_DIALOGUE_RULES)
        answer_rule(d, word, out);
    else if (len == 0)
        add_question(d, out);
    else if (len > 1 || !is_offered(d, word[0]))
        cr_buf_str(out, "  this is none of the answers\n");
    else
        answer_letter(d, word[0], out);
}

/* --- the terminal ----------------------------------------------------------------------------- */

static void draw(struct cr_terminal *t, size_t columns, size_t rows, struct cr_buf *out)
{
    struct cr_dialogue *d = dialogue_of(t);

    d->columns = columns;
    d->rows = rows;
    if (d->page == CR_DIALOGUE_RULES)
        add_rules(d, out);
    else
        add_question(d, out);
}

static void lost(struct cr_terminal *t, const char *why)
{
    struct cr_dialogue *d = dialogue_of(t);

    d->is_lost = true;
    while (d->list) {
        d->ops->lost(d, d->list, why);
        free_question(&d->list);
    }
}

/* --- life cycle ------------------------------------------------------------------------------- */

int cr_dialogue_begin(struct cr_dialogue *d, const struct cr_dialogue_ops *ops, struct cr_err *err)
{
    static const struct cr_terminal_ops terminal_ops = {
        .draw = draw, .line = take_line, .lost = lost};

    memset(d, 0, sizeof(*d));
    d->ops = ops;
    d->columns = 80;
    return cr_terminal_open(&d->terminal, &terminal_ops, err);
}

void cr_dialogue_end(struct cr_dialogue *d)
{
    cr_terminal_close(&d->terminal);
    while (d->list)
        free_question(&d->list);
    free(d->picked);
}

static const char *get_args(void *data, uint32_t number, size_t *ret_len)
{
    return caprun_get_asked_args(data, number, ret_len);
}

int cr_dialogue_ask(struct cr_dialogue *d, struct caprun_run *run, uint32_t number,
                    const char *json, size_t len, struct cr_err *err)
{
    struct cr_dialogue_question *one, **last = &d->list;
    int r;

    if (d->is_lost || !cr_terminal_is_there())
        return cr_err_set(err, CAPRUN_E_STATE, "there is no terminal to ask at");
    one = calloc(1, sizeof(*one));
    if (!one)
        return cr_err_memory(err);
    one->run = run;
    one->number = number;
    r = cr_inquiry_read(json, len, get_args, run, &one->q, err);
    if (r < 0) {
        free(one);
        return r;
    }
    while (*last)
        last = &(*last)->next;
    *last = one;
    if (d->list == one)
        ask_now(d);
    return 0;
}

void cr_dialogue_withdraw(struct cr_dialogue *d, const struct caprun_run *run)
{
    struct cr_dialogue_question **at = d->list ? &d->list->next : &d->list;

    while (*at)
        if ((*at)->run == run)
            free_question(at);
        else
            at = &(*at)->next;
    if (d->list && d->list->run == run)
        end_question(d, "\ncaprun: the question is withdrawn\n");
}

bool cr_dialogue_is_asking(const struct cr_dialogue *d)
{
    return d->list != NULL;
}
