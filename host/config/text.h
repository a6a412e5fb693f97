/*
 * text.h - what a string of .caprun.json may have to be: a name, a pattern, a URL.
 */
#ifndef CR_TEXT_H
#define CR_TEXT_H

#include <stdbool.h>

/* "a URL that begins with http:// or https://", and is a text one? */
struct cr_text {
    const char *what;
    bool (*is)(const char *text);
    bool secret; /* the text is not to be shown */
};

/* Any text but "". */
extern const struct cr_text cr_text_filled;
/* A URL for HTTP, or the path of a directory. */
extern const struct cr_text cr_text_registry;
extern const struct cr_text cr_text_url;
/* [A-Za-z0-9_-]{1,64} */
extern const struct cr_text cr_text_namespace;
/* "ns:action", "ns" or "*", and * and ? in them. */
extern const struct cr_text cr_text_pattern;
/* The part of it behind the colon. */
extern const struct cr_text cr_text_action_glob;
/* org.project.namespace.action */
extern const struct cr_text cr_text_four_parts;
/* [A-Za-z_][A-Za-z0-9_]* */
extern const struct cr_text cr_text_variable;
/* What execve() takes before a "=". */
extern const struct cr_text cr_text_environment;
extern const struct cr_text cr_text_header;
extern const struct cr_text cr_text_header_value;
/* JSON Pointer, RFC 6901. */
extern const struct cr_text cr_text_pointer;
/* What a rule is called: [A-Za-z0-9_.-]{1,64} */
extern const struct cr_text cr_text_id;
/* The words that a key may have. */
extern const struct cr_text cr_text_era, cr_text_on_denied, cr_text_record, cr_text_then;

#endif
