/*
 * keys.h - tables of what .caprun.json may contain: the keys of each object, and the shape that the
 * value of each key must have.
 */
#ifndef CR_KEYS_H
#define CR_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/text.h"

enum cr_form {
    CR_FORM_ANY,    /* any JSON */
    CR_FORM_TEXT,   /* a string of the kind |text|; or, if there are |keys|, an object with them */
    CR_FORM_NUMBER, /* a whole number from |min| to |max| */
    CR_FORM_REAL,   /* a number of any kind */
    CR_FORM_FLAG,   /* true or false */
    CR_FORM_LIST,   /* an array; each value has the shape |each| */
    CR_FORM_MAP, /* an object; its keys are of the kind |text|, its values have the shape |each| */
    CR_FORM_OBJECT, /* an object with |keys| only */
};

struct cr_shape {
    enum cr_form form;
    const struct cr_text *text; /* NULL: any */
    const struct cr_shape *each;
    const struct cr_key *keys; /* the last one has no name */
    uint64_t min, max;         /* LIST and MAP: the most values, 0: any number */
    bool or_zero;              /* NUMBER: 0 is allowed, too: the default */
    bool filled;               /* LIST, MAP and OBJECT: must not be empty */
    bool lenient;              /* OBJECT: an unknown key is only a warning */
    const char *one_of[2];     /* OBJECT: has exactly one of these keys */
    const char *unique;        /* LIST of objects: no two have the same value of this key */
    bool unlike;               /* MAP: no two keys may be equal once each "-" is a "_" */
};

struct cr_key {
    const char *name;
    const struct cr_shape *shape;
    size_t to; /* NUMBER and FLAG: the field of struct cr_config; 0: none */
    bool required;
    const char *only_with; /* has an effect only together with this key; NULL: always */
    const char *later;     /* not supported yet: the words of a warning */
    /* TEXT: returns the words of a warning about the value, or NULL; NULL: there is none */
    const char *(*doubt)(const char *text);
    bool users_only; /* may only be in the user's own file */
};

#define CR_KEYS_MAX_SERVERS 1000

/* The whole file. */
extern const struct cr_shape cr_keys_file;

#endif
