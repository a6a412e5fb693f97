/* error.h - formats an Error or a DOMException: its name, its message and its stack. */
#ifndef CRW_ERROR_H
#define CRW_ERROR_H

#include "view.h"

void crw_error_put(struct crw_view *v, const struct crw_view_object *error);

/* Is the value of the property |name| already part of the text that begins at |base|? */
bool crw_error_shows(struct crw_view *v, const struct crw_view_object *error, JSAtom name,
                     size_t base);

#endif
