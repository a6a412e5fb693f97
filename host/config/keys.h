/*
 * keys.h - what .caprun.json may say, as tables: each object with its keys, each key with the shape
 * that its value must have.
 */
#ifndef CR_KEYS_H
#define CR_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/text.h"

enum cr_form {
    CR_FORM_ANY,    /* any JSON */
    CR_FORM_TEXT,   /* a string; |text| says of what kind */
    CR_FORM_NUMBER, /* a whole number from |min| to |max| */
    CR_FORM_REAL,   /* a number of any kind */
    CR_FORM_FLAG,   /* true or false */
    CR_FORM_LIST,   /* an array, and what |each| of its values is */
    CR_FORM_MAP,    /* an object with keys of the kind |text|, and what |each| of its values is */
    CR_FORM_OBJECT, /* an object with |keys|, and no others */
};

struct cr_shape {
    enum cr_form form;
    const struct cr_text *text; /* NULL: any */
    const struct cr_shape *each;
    const struct cr_key *keys; /* the last one has no name */
    uint64_t min, max;         /* LIST and MAP: |max| of them, if that is not 0 */
    bool or_zero;              /* NUMBER: 0 is the default, whatever |min| is */
    bool filled;               /* LIST, MAP and OBJECT: may not be empty */
    bool lenient;              /* OBJECT: a key that is not known is a warning only */
    const char *one_of[2];     /* OBJECT: keys of which it has exactly one */
    const char *unique;        /* LIST of objects: no two have the same value of this key */
    bool unlike;               /* MAP: no two keys are equal once each "-" is a "_" */
};

struct cr_key {
    const char *name;
    const struct cr_shape *shape;
    size_t to; /* NUMBER and FLAG: the field of struct cr_config; 0: none */
    bool required;
    const char *only_with; /* has a meaning only beside this key; NULL: always */
    const char *later;     /* of a part that is not there yet: the words of a warning */
    const char *refused;   /* of such a part, and not to be lost: why it has to be empty */
};

/* The whole file. */
extern const struct cr_shape cr_keys_file;

#endif
