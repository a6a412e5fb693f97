/*
 * init.c - `caprun init`: a small configuration and a capability that runs at once.
 *
 * All files are new, or none is written: what exists is looked for first, each file appears whole,
 * and after an error those that were written are removed.
 */
#include "cli/init.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/clients.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/trust.h"
#include "config/config.h"

#define NAME "my.first.hello.world"
#define FOLDER "registry"
#define METADATA FOLDER "/" NAME ".json"
#define CODE FOLDER "/" NAME ".js"
#define NEXT "caprun " NAME " '{\"name\": \"Ada\"}'"
#define SCHEMA "caprun.schema.json"
#define MAX_TEXT (8u << 20)

static const char metadata[] = "{\n"
                               "  \"fqdn\": \"" NAME "\",\n"
                               "  \"type\": \"js\",\n"
                               "  \"description\": \"Says hello.\",\n"
                               "  \"tools\": [],\n"
                               "  \"parametersSchema\": {\n"
                               "    \"type\": \"object\",\n"
                               "    \"properties\": {\"name\": {\"type\": \"string\"}},\n"
                               "    \"additionalProperties\": false\n"
                               "  }\n"
                               "}\n";

static const char code[] =
    "// The body of an async function of `mcp` and `args`. The .json file beside it\n"
    "// describes it; its \"parametersSchema\" is what `args` are checked against.\n"
    "// To call a tool of an MCP server in .caprun.json, list it in \"tools\", like\n"
    "// [\"files:read_file\"]; then: await mcp.files.read_file({ path: \"a.txt\" })\n"
    "const name = args.name ?? \"world\";\n"
    "console.log(`saying hello to ${name}`);\n"
    "return { greeting: `Hello, ${name}!` };\n";

/* The files, in the order in which they are written: the configuration last. */
enum { FILE_CODE, FILE_METADATA, FILE_CONFIG, FILES };

struct init {
    struct cr_clients clients; /* with --from */
    struct cr_buf config;      /* the text of the configuration */
    bool made_folder;
};

static const char *const paths[FILES] = {CODE, METADATA, CR_CONFIG_NAME};

/* --- the configuration -------------------------------------------------------------------- */

/* Finds the schema of the installation, or of the source tree. Returns false if there is none. */
static bool find_schema(char ret[PATH_MAX])
{
    static const char *const places[] = {"share/caprun/" SCHEMA, "host/config/" SCHEMA};
    char program[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);

    for (int up = 0; up < 2 && len > 0; up++)
        while (len > 0 && program[--len] != '/') {
        }
    for (size_t i = 0; i < 2 && len > 0; i++)
        if (snprintf(ret, PATH_MAX, "%.*s/%s", (int)len, program, places[i]) < PATH_MAX &&
            access(ret, R_OK) == 0 && !strstr(ret, "${"))
            return true;
    return false;
}

static void compose_config(struct init *init)
{
    struct cr_buf *out = &init->config;
    char schema[PATH_MAX];

    cr_buf_str(out, "{\n");
    if (find_schema(schema)) {
        cr_buf_str(out, "  \"$schema\": ");
        cr_escape_json_str(out, schema);
        cr_buf_str(out, ",\n");
    }
    cr_buf_str(out, "  \"registries\": [{\"path\": \"./" FOLDER "\", \"dev\": true}],\n");
    if (init->clients.taken) {
        cr_buf_str(out, "  \"mcpServers\": {\n");
        cr_buf_add(out, init->clients.servers.data, init->clients.servers.len);
        cr_buf_str(out, "\n  },\n");
    } else {
        cr_buf_str(out, "  \"mcpServers\": {},\n");
    }
    cr_buf_str(out, "  \"permissions\": {\"allow\": []}\n}\n");
}

/* --- writing ------------------------------------------------------------------------------- */

static int refuse_existing(const char *names, struct cr_err *why)
{
    return cr_err_end(why, CAPRUN_OUTCOME_USAGE,
                      "edit that, or run caprun init in another directory; nothing was written",
                      "caprun init overwrites nothing, and this is here already: %s", names);
}

static int check_nothing_exists(struct cr_err *why)
{
    char names[256] = "";
    struct stat st;

    for (int i = FILES; i-- > 0;)
        if (lstat(paths[i], &st) == 0)
            (void)snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
                           names[0] ? ", " : "", paths[i]);
    if (stat(FOLDER, &st) == 0 && !S_ISDIR(st.st_mode))
        (void)snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s" FOLDER,
                       names[0] ? ", " : "");
    return names[0] ? refuse_existing(names, why) : 0;
}

static void remove_files(const struct init *init, int count)
{
    while (count-- > 0)
        (void)unlink(paths[count]);
    if (init->made_folder)
        (void)rmdir(FOLDER);
}

static int refuse_write(const char *path, int error, struct cr_err *why)
{
    if (error == EEXIST)
        return refuse_existing(path, why);
    return cr_err_end(why, CAPRUN_OUTCOME_USAGE, "run caprun init in a directory of your own",
                      "cannot write '%s': %s", path, strerror(error));
}

static int write_files(struct init *init, struct cr_err *why)
{
    const void *texts[FILES] = {code, metadata, init->config.data};
    size_t lens[FILES] = {sizeof(code) - 1, sizeof(metadata) - 1, init->config.len};

    init->made_folder = mkdir(FOLDER, 0755) == 0;
    if (!init->made_folder && errno != EEXIST)
        return refuse_write(FOLDER, errno, why);
    for (int i = 0; i < FILES; i++)
        if (cr_file_create(AT_FDCWD, paths[i], texts[i], lens[i], 0644, NULL) < 0) {
            int error = errno;

            remove_files(init, i);
            return refuse_write(paths[i], error, why);
        }
    return 0;
}

/* --- what is printed ----------------------------------------------------------------------- */

static void add_servers(struct cr_buf *out, struct init *init)
{
    struct cr_clients *c = &init->clients;
    const char *unset = cr_buf_text(&c->unset);

    cr_buf_str(out, "\nMCP servers from ");
    cr_escape_terminal(out, c->path, strlen(c->path));
    cr_buf_str(out, ":\n");
    cr_buf_add(out, c->text.data, c->text.len);
    if (!c->taken)
        return;
    cr_buf_str(out,
               "\nNothing was started, and no tool may be called until \"permissions\" allow it.\n"
               "Values of variables were not copied. Arguments were: look for secrets in them\n"
               "before you share " CR_CONFIG_NAME ".\n");
    if (unset && *unset)
        cr_buf_fmt(out,
                   "\nFirst set these variables; until then nothing runs:\n "
                   "%s\n",
                   unset);
}

static void add_text(struct cr_buf *out, struct init *init, bool has_servers)
{
    cr_buf_str(out, "Made " CR_CONFIG_NAME ", and a first capability in " FOLDER "/:\n"
                    "  " METADATA "  what it is\n"
                    "  " CODE "    what it does\n");
    if (has_servers)
        add_servers(out, init);
    cr_buf_str(out,
               "\nRun it:\n  " NEXT "\n\nChange it, and run it again: no other step is needed.\n");
    if (has_servers)
        cr_buf_str(out, "\nBefore that, look at what it may start and allow, and accept it:\n"
                        "  caprun trust\n");
    if (init->clients.taken)
        cr_buf_str(out, "See what the servers offer:\n  caprun tools\n");
}

static void add_json(struct cr_buf *out, const struct init *init)
{
    cr_buf_str(out, "{\"files\":[");
    for (int i = FILES; i-- > 0;) {
        cr_escape_json_str(out, paths[i]);
        cr_buf_str(out, i ? "," : "]");
    }
    cr_buf_add(out, init->clients.json.data, init->clients.json.len);
    cr_buf_str(out, ",\"next\":");
    cr_escape_json_str(out, NEXT);
    cr_buf_str(out, "}\n");
}

static int print_made(struct init *init, const struct cr_options *o)
{
    cr_autobuf struct cr_buf out = CR_BUF(MAX_TEXT);
    int r;

    if (o->json)
        add_json(&out, init);
    else
        add_text(&out, init, o->from);
    r = o->json ? cr_output_json(&out) : cr_output_text(&out);
    return r < 0 ? caprun_outcome_status(CAPRUN_OUTCOME_INTERNAL) : 0;
}

/* The user knows a file that was just made from nothing; not the servers of another program. */
static void accept_config(const struct init *init)
{
    cr_autofree char *here = getcwd(NULL, 0);
    cr_autofree char *path = here ? cr_config_path(here, CR_CONFIG_NAME) : NULL;
    struct cr_err why;

    if (path && cr_trust_accept_own(path, init->config.data, init->config.len, &why) < 0)
        cr_output_note("%s; caprun will ask before it uses the new " CR_CONFIG_NAME, why.text);
}

int cr_cli_init(struct caprun_run *run, const struct cr_options *o)
{
    struct init init = {.config = CR_BUF(MAX_TEXT)};
    struct cr_err why;
    int r = check_nothing_exists(&why);

    if (r == 0 && o->from)
        r = cr_clients_read(o->from, &init.clients, &why);
    if (r == 0) {
        compose_config(&init);
        r = cr_buf_err(&init.config) ? cr_err_memory(&why) : write_files(&init, &why);
    }
    if (r == 0 && !o->from)
        accept_config(&init);
    r = r < 0 ? cr_launch_reject(run, &why) : print_made(&init, o);
    cr_clients_clear(&init.clients);
    cr_buf_clear(&init.config);
    return r;
}
