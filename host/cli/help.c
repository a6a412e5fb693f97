/* help.c - the texts of --help and of `caprun help`; docs/man/caprun.1 says the same at length. */
#include "cli/help.h"

#include <string.h>

#include "cli/options.h"

static const char intro[] =
    "caprun runs untrusted JavaScript in a locked process, which can only make calls.\n"
    "\n";

static const struct {
    const char *word, *help;
} words[] = {
    {"FQDN", "org.project.namespace.action, then optionally .hash"},
    {"NS", "a server in \"mcpServers\" of .caprun.json; ACTION: one of its tools"},
    {"NAME", "an FQDN, or NS:ACTION"},
    {"FILE", "the body of an async function of `mcp` and `args`, or a module that\n"
             "          exports a function of args and {mcp} by default; - is standard input"},
    {"CASES", "a JSON file of calls, and what is to be decided: docs/policy.md"},
    {"ARGS", "a JSON file, - for standard input, or JSON that starts with {"},
    {"RUN", "the id of a run, its beginning or end, or the path of its JOURNAL"},
    {"WHAT", "fresh, busy, rate, call, answer1m, answer10m, memory, cpu; or all"},
};

static const char outro[] =
    "\n"
    "The result goes to standard output, everything else to standard error. Exit\n"
    "status: 0 it returned; 1 it failed; 2 bad input; 3 it reached for what is\n"
    "denied; 4 out of time; 5 out of memory or over another limit; 6 it could not be\n"
    "loaded, or is not what is pinned; 8 a replay differs; 9 the worker died; 70\n"
    "caprun failed; 129, 130 or 143 interrupted. caprun(1) has them all.\n"
    "\n"
    "  caprun acme.tools.text.summary --registry samples/registry args.json\n"
    "  caprun call files:read_file '{\"path\": \"a.txt\"}' --allow 'files:read_*'\n"
    "  echo 'return {sum: args.a + args.b}' | caprun exec - '{\"a\": 1, \"b\": 2}'\n";

/* Is |word| in |usage|, as a whole word? */
static bool is_in(const char *usage, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = strstr(usage, word); at; at = strstr(at + 1, word))
        if ((at == usage || strchr(" [:|", at[-1])) && (!at[len] || strchr(" ]:|.", at[len])))
            return true;
    return false;
}

static void add_words(struct cr_buf *out, const char *usage)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (!usage || is_in(usage, words[i].word))
            cr_buf_fmt(out, "  %-6s  %s\n", words[i].word, words[i].help);
}

void cr_help_begin(struct cr_buf *out)
{
    cr_buf_str(out, intro);
}

void cr_help_end(struct cr_buf *out)
{
    cr_buf_str(out, "\n");
    add_words(out, NULL);
    cr_buf_str(out, "\n");
    cr_options_help(out, CR_OPTIONS_ALL);
    cr_buf_str(out, outro);
}

void cr_help_command(struct cr_buf *out, const char *usage, const char *about, unsigned takes)
{
    size_t before;

    cr_buf_fmt(out, "usage: %s\n\n%s.\n\n", usage, about);
    before = out->len;
    add_words(out, usage);
    cr_buf_str(out, out->len > before ? "\n" : "");
    cr_options_help(out, takes);
}
