/* table.h - console.table. */
#ifndef CRW_TABLE_H
#define CRW_TABLE_H

#include "out.h"
#include "quickjs.h"

/*
 * Appends |data| as a table, one row for each of its properties or entries; |columns|, if it is an
 * array, names those to show. Returns false, with nothing appended, if |data| is no object.
 */
bool crw_table_put(JSContext *ctx, struct crw_out *out, JSValueConst data, JSValueConst columns);

#endif
