/* text.c - checks each kind of string in .caprun.json. */
#include "config/text.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/pattern.h"
#include "base/web_host.h"

#define DIGITS "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define NAMESPACE LETTERS DIGITS "_-"
#define NAMESPACE_MAX 64
#define REGISTRY_URL_MAX 2000
#define SERVER_URL_MAX 2048

static bool is_made_of(const char *text, size_t len, const char *characters, size_t max)
{
    return len > 0 && len <= max && strspn(text, characters) >= len;
}

static char with_underscore(char c)
{
    return c == '-' ? '_' : c;
}

bool cr_text_is_alike(const char *a, const char *b)
{
    for (; *a && with_underscore(*a) == with_underscore(*b); a++)
        b++;
    return *a == *b;
}

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

static bool is_filled(const char *text)
{
    return *text;
}

/* A URL without spaces and controls, and with a host. */
static bool is_url(const char *text)
{
    size_t scheme = strncmp(text, "https://", 8) == 0 ? 8 : 7;

    if (scheme == 7 && strncmp(text, "http://", 7) != 0)
        return false;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            return false;
    return text[scheme] && !strchr("/?#:@", text[scheme]);
}

static bool is_server_url(const char *text)
{
    const char *host;

    for (const char *c = text; *c; c++)
        if ((unsigned char)*c >= 0x7f || *c == '#')
            return false;
    if (!is_url(text) || strlen(text) > SERVER_URL_MAX)
        return false;
    host = strstr(text, "://") + 3;
    return !memchr(host, '@', strcspn(host, "/?"));
}

/* A path; or a URL for host/registry, without parts to drop (query, fragment) or to hide (user). */
static bool is_registry(const char *text)
{
    if (!strstr(text, "://"))
        return is_filled(text);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c >= 0x7f || strchr("@?#", *c))
            return false;
    return is_url(text) && strlen(text) <= REGISTRY_URL_MAX;
}

static bool is_directory(const char *text)
{
    return is_filled(text) && !strstr(text, "://");
}

static bool is_namespace(const char *text)
{
    return is_made_of(text, strlen(text), NAMESPACE, NAMESPACE_MAX);
}

static bool is_four_parts(const char *text)
{
    for (int part = 1;; part++) {
        size_t len = strcspn(text, ".");

        if (!is_made_of(text, len, NAMESPACE, NAMESPACE_MAX) || strchr(DIGITS "-", *text))
            return false;
        text += len;
        if (part == 4 || !*text++)
            return part == 4 && !*text;
    }
}

static bool is_caller(const char *text)
{
    return strcmp(text, "exec") == 0 || is_four_parts(text);
}

static bool is_host(const char *text)
{
    struct cr_web_host unused;

    return cr_web_host_parse(text, &unused);
}

static bool is_variable(const char *text)
{
    return *text && strspn(text, LETTERS DIGITS "_") == strlen(text) && !strchr(DIGITS, *text);
}

static bool is_environment(const char *text)
{
    return *text && !strchr(text, '=');
}

static bool is_header(const char *text)
{
    return *text && strspn(text, LETTERS DIGITS "!#$%&'*+-.^_`|~") == strlen(text);
}

/* Headers that say how a message is sent, and those of MCP. */
static bool is_own_header(const char *text)
{
    static const char *const others[] = {
        "accept",       "accept-encoding", "connection", "content-encoding", "content-length",
        "content-type", "expect",          "host",       "keep-alive",       "last-event-id",
        "te",           "trailer",         "upgrade",    "transfer-encoding"};

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strcasecmp(text, others[i]) == 0)
            return false;
    return is_header(text) && strncasecmp(text, "mcp-", 4) != 0 &&
           strncasecmp(text, "proxy-", 6) != 0;
}

static bool is_header_value(const char *text)
{
    for (; *text; text++)
        if (((unsigned char)*text < ' ' && *text != '\t') || *text == 0x7f)
            return false;
    return true;
}

static bool is_pointer(const char *text)
{
    if (*text && *text != '/')
        return false;
    for (; *text; text++)
        if (*text == '~' && text[1] != '0' && text[1] != '1')
            return false;
    return true;
}

static bool is_id(const char *text)
{
    return is_made_of(text, strlen(text), NAMESPACE ".", 64);
}

static bool is_hash(const char *text)
{
    return strlen(text) == 64 && is_made_of(text, 64, DIGITS "abcdef", 64);
}

static bool is_era(const char *text)
{
    return is_one_of(text, (const char *const[]){"auto", "modern", "legacy", NULL});
}

static bool is_on_denied(const char *text)
{
    return is_one_of(text, (const char *const[]){"continue", "stop", NULL});
}

static bool is_record(const char *text)
{
    return is_one_of(text, (const char *const[]){"all", "failed", "none", NULL});
}

static bool is_then(const char *text)
{
    return is_one_of(text, (const char *const[]){"allow", "ask", "deny", NULL});
}

const struct cr_text cr_text_filled = {"a text that is not empty", is_filled, false};
const struct cr_text cr_text_registry = {
    "a directory, or a URL that begins with http:// or https://, without a user or a query",
    is_registry, true};
const struct cr_text cr_text_directory = {"the path of a directory, not a URL", is_directory, true};
const struct cr_text cr_text_url = {"a URL that begins with http:// or https://", is_url, true};
const struct cr_text cr_text_namespace = {"1 to 64 letters, digits, _ and -", is_namespace, false};
const struct cr_text cr_text_pattern = {CR_PATTERN_WHAT, cr_pattern_is, false};
const struct cr_text cr_text_action_glob = {
    "a pattern of letters, digits, _ - . / * and ?, like \"read_*\"", cr_pattern_is_action, false};
const struct cr_text cr_text_four_parts = {"a name of four parts, org.project.namespace.action",
                                           is_four_parts, false};
const struct cr_text cr_text_variable = {
    "the name of a variable, of letters, digits and _, like \"REPORT_LANG\"", is_variable, false};
const struct cr_text cr_text_environment = {"the name of a variable, without \"=\"", is_environment,
                                            false};
const struct cr_text cr_text_server_url = {
    "a URL that begins with http:// or https://, without a user, a password or a fragment",
    is_server_url, true};
const struct cr_text cr_text_own_header = {
    "the name of an HTTP header, and not one that caprun sets itself", is_own_header, false};
const struct cr_text cr_text_header = {"the name of an HTTP header", is_header, false};
const struct cr_text cr_text_header_value = {"a text on one line, without controls",
                                             is_header_value, true};
const struct cr_text cr_text_pointer = {
    "a JSON pointer like \"/path\", with ~ and / in a key written as ~0 and ~1", is_pointer, false};
const struct cr_text cr_text_caller = {"the four-part name of a capability, or \"exec\"", is_caller,
                                       false};
const struct cr_text cr_text_host = {CR_WEB_HOST_WHAT, is_host, false};
const struct cr_text cr_text_id = {"1 to 64 letters, digits, _ - and .", is_id, false};
const struct cr_text cr_text_hash = {"64 digits and letters a to f: a SHA-256", is_hash, false};
const struct cr_text cr_text_era = {"\"auto\", \"modern\" or \"legacy\"", is_era, false};
const struct cr_text cr_text_on_denied = {"\"continue\" or \"stop\"", is_on_denied, false};
const struct cr_text cr_text_record = {"\"all\", \"failed\" or \"none\"", is_record, false};
const struct cr_text cr_text_then = {"\"allow\", \"ask\" or \"deny\"", is_then, false};
