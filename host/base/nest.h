/* nest.h - says whether valid JSON may become part of other JSON, which the scanner still accepts.
 */
#ifndef CR_NEST_H
#define CR_NEST_H

#include <stdbool.h>
#include <stddef.h>

/* May |json|, which is valid, be a value in an object? It is then one level deeper. */
bool cr_nest_fits(const char *json, size_t len);

#endif
