/*
 * url.h - shows the contents of a URL and a URLSearchParams. They are objects of js/web/url.js, and
 * all of their data is in a private field.
 *
 * Only own data properties are read, so no code runs. A class of the capability may have a private
 * field with the same name: values that do not have the expected form are ignored.
 */
#ifndef CRW_URL_H
#define CRW_URL_H

#include "view.h"

/* Returns how many entries crw_url_put() appends: 1 for a URL, else the number of parameters. */
int64_t crw_url_length(JSContext *ctx, JSValueConst value);

/* Appends `href: '...'`, or `'name' => 'value'` for each parameter. */
void crw_url_put(struct crw_view *v, const struct crw_view_object *o, int depth);

/* Returns the URL as a string; undefined if |value| is not a URL. */
JSValue crw_url_href(JSContext *ctx, JSValueConst value);

#endif
