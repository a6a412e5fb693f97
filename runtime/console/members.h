/* members.h - shows the contents of an object besides its properties: items, entries, bytes. */
#ifndef CRW_MEMBERS_H
#define CRW_MEMBERS_H

#include "view.h"

/* Does |o| have such contents? */
bool crw_members_any(const struct crw_view_object *o);

/* Appends one entry for each item. */
void crw_members_put(struct crw_view *v, const struct crw_view_object *o, int depth);

/* If |count| is not 0, appends an entry that says how many items are not shown. */
void crw_members_left(struct crw_view *v, uint64_t count);

#endif
