/*
 * url.h - what a URL and a URLSearchParams have inside. They are objects of js/web/url.js, and look
 * empty from outside: all that they know is in a private field.
 *
 * Only own properties of plain values are read, none of them by running code; what is not as that
 * package leaves it, because somebody's class is built alike, counts as nothing.
 */
#ifndef CRW_URL_H
#define CRW_URL_H

#include "view.h"

/* How many entries crw_url_put() appends: 1 for a URL, else as many as there are parameters. */
int64_t crw_url_length(JSContext *ctx, JSValueConst value);

/* Appends `href: '...'`, or `'name' => 'value'` for each parameter. */
void crw_url_put(struct crw_view *v, const struct crw_view_object *o, int depth);

/* Returns the URL as a string; undefined if |value| is none. */
JSValue crw_url_href(JSContext *ctx, JSValueConst value);

#endif
