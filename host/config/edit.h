/*
 * edit.h - changes the text of a configuration file as a person would: everything else in it stays
 * as it is, and what is new has the file's own indentation, spaces and line ends.
 *
 * Works on text alone: reads and writes no file, and does not check what is added.
 */
#ifndef CR_CONFIG_EDIT_H
#define CR_CONFIG_EDIT_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Adds |count| items, each JSON on one line, to the end of the list |list| of "permissions":
 * "allow", "ask", "deny" or "rules". Objects and lists that are missing are added, too. |text|, of
 * |len| bytes, is a configuration; "" is a file that does not exist. Appends the new text to |out|.
 * Returns 0; CAPRUN_E_INVAL if |text| is not such an object; or CAPRUN_E_NOMEM or CAPRUN_E_TOOBIG.
 */
int cr_edit_add(const char *text, size_t len, const char *list, const char *const *items,
                size_t count, struct cr_buf *out, struct cr_err *err);

/*
 * Replaces the value that the JSON pointer |pointer| names by |json|. The same results; also
 * CAPRUN_E_INVAL if there is no such value.
 */
int cr_edit_set(const char *text, size_t len, const char *pointer, const char *json,
                struct cr_buf *out, struct cr_err *err);

/*
 * Takes the item that |pointer| names out of its list, with its comma, and its line if it has one
 * of its own. The same results.
 */
int cr_edit_remove(const char *text, size_t len, const char *pointer, struct cr_buf *out,
                   struct cr_err *err);

#endif
