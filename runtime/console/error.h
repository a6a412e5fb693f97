/* error.h - what stands for an Error or a DOMException: its name, its message and its stack. */
#ifndef CRW_ERROR_H
#define CRW_ERROR_H

#include "view.h"

void crw_error_put(struct crw_view *v, const struct crw_view_object *error);

/* Is |name| a property whose value can be read already in the text that begins at |base|? */
bool crw_error_shows(struct crw_view *v, const struct crw_view_object *error, JSAtom name,
                     size_t base);

#endif
