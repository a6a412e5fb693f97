/* text.h - the kinds of strings in .caprun.json, such as names, patterns and URLs. */
#ifndef CR_TEXT_H
#define CR_TEXT_H

#include <stdbool.h>

/* What a text of this kind is called in messages, and the check for one. */
struct cr_text {
    const char *what;
    bool (*is)(const char *text);
    bool secret; /* messages must not show the text */
};

/* Are both names equal once each "-" is a "_"? Code may write "_" for "-". */
bool cr_text_is_alike(const char *a, const char *b);

/* Any text except "". */
extern const struct cr_text cr_text_filled;
/* A URL for HTTP, or the path of a directory. */
extern const struct cr_text cr_text_registry;
/* The path of a directory. */
extern const struct cr_text cr_text_directory;
extern const struct cr_text cr_text_url;
/* [A-Za-z0-9_-]{1,64} */
extern const struct cr_text cr_text_namespace;
/* "ns:action", "ns" or "*"; may contain * and ?. */
extern const struct cr_text cr_text_pattern;
/* The part of a pattern after the colon. */
extern const struct cr_text cr_text_action_glob;
/* org.project.namespace.action */
extern const struct cr_text cr_text_four_parts;
/* [A-Za-z_][A-Za-z0-9_]* */
extern const struct cr_text cr_text_variable;
/* The name of a variable in the environment of a server: not empty, without "=". */
extern const struct cr_text cr_text_environment;
/* A URL without a user, a password and a fragment. */
extern const struct cr_text cr_text_server_url;
extern const struct cr_text cr_text_header;
/* The name of a header that neither HTTP nor MCP needs. */
extern const struct cr_text cr_text_own_header;
extern const struct cr_text cr_text_header_value;
/* JSON Pointer, RFC 6901. */
extern const struct cr_text cr_text_pointer;
/* "for" of a rule: a four-part name, or "exec". */
extern const struct cr_text cr_text_caller;
extern const struct cr_text cr_text_host;
/* The id of a rule: [A-Za-z0-9_.-]{1,64} */
extern const struct cr_text cr_text_id;
/* A SHA-256, in 64 lower-case hexadecimal digits. */
extern const struct cr_text cr_text_hash;
/* Keys with a fixed set of words. */
extern const struct cr_text cr_text_era, cr_text_on_denied, cr_text_record, cr_text_then;

#endif
