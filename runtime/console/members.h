/* members.h - what objects of one kind have besides properties: items, entries, bytes, a result. */
#ifndef CRW_MEMBERS_H
#define CRW_MEMBERS_H

#include "view.h"

/* Is there anything of that? */
bool crw_members_any(const struct crw_view_object *o);

/* Appends an entry for each of them. */
void crw_members_put(struct crw_view *v, const struct crw_view_object *o, int depth);

/* Appends an entry that says how many items are not shown, if any. */
void crw_members_left(struct crw_view *v, uint64_t count);

#endif
