/* table.h - formats the table of console.table. */
#ifndef CRW_TABLE_H
#define CRW_TABLE_H

#include "out.h"
#include "quickjs.h"

/*
 * Appends |data| as a table, one row for each of its properties or entries; |columns|, if an array,
 * names the columns to show. If |data| is not an object, returns false and appends nothing.
 */
bool crw_table_put(JSContext *ctx, struct crw_out *out, JSValueConst data, JSValueConst columns);

#endif
