/*
 * table.c - console.table: a row for each item, a column for each property of any item.
 *
 * All cells are written to one text, row by row, and then drawn. Rows, columns and the width of a
 * cell are limited; omitted rows and columns are counted below the table.
 */
#include "table.h"

#include <string.h>

#include "engine/peek.h"
#include "view.h"
#include "work.h"

#define ROWS_MAX 100u
#define COLUMNS_MAX 30u
#define CELL_MAX 60u        /* characters */
#define CELL_BYTES_MAX 400u /* enough bytes for CELL_MAX characters */
#define ONE_LINE ((size_t)1 << 30)

struct cell {
    size_t at, len;
};

static struct table {
    JSContext *ctx;
    struct crw_out text;                              /* of all cells */
    struct cell cells[ROWS_MAX + 1][COLUMNS_MAX + 2]; /* row 0: the titles; the last: values */
    size_t widths[COLUMNS_MAX + 2];
    JSAtom names[COLUMNS_MAX]; /* of columns 1 and on */
    unsigned columns;          /* the index and the names */
    unsigned rows;
    uint64_t rows_left_out;
    bool columns_left_out;
    bool names_given;
    bool has_values; /* the last column, for primitive values */
} table;

/* --- cells ----------------------------------------------------------------------------------- */

static size_t begin_cell(void)
{
    table.text.max = table.text.len + CELL_BYTES_MAX;
    table.text.full = false;
    return table.text.len;
}

/* Makes the cell one line, and cuts it if it is too wide. */
static void end_cell(unsigned row, unsigned column, size_t at)
{
    char *text = table.text.text + at;
    size_t len = table.text.len - at, kept = 0, width = 0;

    for (; kept < len && width < CELL_MAX; width++)
        do {
            if (text[kept] == '\n')
                text[kept] = ' ';
            kept++;
        } while (kept < len && ((uint8_t)text[kept] & 0xc0) == 0x80);
    if (kept < len || table.text.full) {
        table.text.len = at + kept;
        table.text.max = table.text.len + 8;
        crw_out_str(&table.text, "…");
        len = table.text.len - at;
        width++;
    }
    table.cells[row][column] = (struct cell){at, len};
    if (width > table.widths[column])
        table.widths[column] = width;
}

static void set_text(unsigned row, unsigned column, const char *text)
{
    size_t at = begin_cell();

    crw_out_str(&table.text, text);
    end_cell(row, column, at);
}

static void set_name(unsigned row, unsigned column, JSAtom name)
{
    size_t at = begin_cell();

    crw_view_name(table.ctx, &table.text, name);
    end_cell(row, column, at);
}

/* Returns -1, name only, for an object with more than two properties. A URL has only one line. */
static int depth_for(JSValueConst value)
{
    enum crw_peek_kind kind;

    value = crw_inspect_unwrap(table.ctx, value);
    if (!JS_IsObject(value))
        return 0;
    kind = crw_peek_kind(table.ctx, value);
    return kind != CRW_PEEK_ARRAY && kind != CRW_PEEK_URL && crw_peek_effort(value) > 2 ? -1 : 0;
}

static void set_value(unsigned row, unsigned column, JSValueConst value)
{
    size_t at = begin_cell();

    crw_inspect(table.ctx, &table.text, value,
                (struct crw_inspect_how){depth_for(value), 3, ONE_LINE});
    end_cell(row, column, at);
}

/* --- rows and columns ------------------------------------------------------------------------ */

/* Returns the column |name|, and adds it if missing; or 0 if there are too many columns. */
static unsigned column_of(JSAtom name)
{
    for (unsigned i = 1; i < table.columns; i++)
        if (table.names[i - 1] == name)
            return i;
    if (table.names_given)
        return 0;
    if (table.columns > COLUMNS_MAX) {
        table.columns_left_out = true;
        return 0;
    }
    table.names[table.columns - 1] = JS_DupAtom(table.ctx, name);
    set_name(0, table.columns, name);
    return table.columns++;
}

static void set_property(unsigned row, JSValueConst item, JSAtom name)
{
    unsigned column = column_of(name);
    JSValue value = JS_UNDEFINED;
    int r = column ? crw_inspect_own(table.ctx, item, name, &value) : 0;

    if (r > 0)
        set_value(row, column, value);
    else if (r < 0)
        set_text(row, column, "[Getter]");
    JS_FreeValue(table.ctx, value);
}

/* Calls |each| for array items and string-named properties, until it returns false. */
static uint64_t for_each_name(JSValueConst object, bool (*each)(JSValueConst object, JSAtom name))
{
    uint32_t elements = crw_peek_elements(object), count = 0, i;
    JSPropertyEnum *names = NULL;
    bool more = true;
    uint64_t left = 0;

    if (!crw_work_charge(1 + crw_peek_effort(object)))
        return 0;
    for (i = 0; i < elements && more; i++) {
        JSAtom name = JS_NewAtomUInt32(table.ctx, i);

        more = each(object, name);
        JS_FreeAtom(table.ctx, name);
    }
    left = elements - i + !more;
    if (crw_peek_names(table.ctx, object, &names, &count) < 0)
        JS_FreeValue(table.ctx, JS_GetException(table.ctx));
    for (i = 0; i < count; i++) {
        JSValue name = JS_AtomToValue(table.ctx, names[i].atom);

        if (!JS_IsSymbol(name) && !(more = more && each(object, names[i].atom)))
            left++;
        JS_FreeValue(table.ctx, name);
    }
    JS_FreePropertyEnum(table.ctx, names, count);
    return left;
}

static bool add_cell(JSValueConst item, JSAtom name)
{
    set_property(table.rows, item, name);
    return !table.columns_left_out;
}

static void fill_row(JSValueConst item)
{
    item = crw_inspect_unwrap(table.ctx, item);
    if (!JS_IsObject(item)) {
        if (!table.names_given) {
            set_value(table.rows, COLUMNS_MAX + 1, item);
            table.has_values = true;
        }
        return;
    }
    if (!table.names_given) {
        (void)for_each_name(item, add_cell);
        return;
    }
    for (unsigned i = 1; i < table.columns; i++)
        set_property(table.rows, item, table.names[i - 1]);
}

static void set_getter_row(void)
{
    if (table.names_given)
        return;
    set_text(table.rows, COLUMNS_MAX + 1, "[Getter]");
    table.has_values = true;
}

static bool add_row(JSValueConst data, JSAtom name)
{
    JSValue item = JS_UNDEFINED;

    if (table.rows == ROWS_MAX)
        return false;
    table.rows++;
    set_name(table.rows, 0, name);
    if (crw_inspect_own(table.ctx, data, name, &item) < 0)
        set_getter_row();
    else
        fill_row(item);
    JS_FreeValue(table.ctx, item);
    return true;
}

/* Fills the table with the keys and values of a Map, or the values of a Set. */
static void fill_from_entries(JSValueConst data, bool has_keys)
{
    struct crw_peek_walk walk;
    uint32_t count = crw_peek_walk(data, &walk);
    JSValueConst key, value;

    set_text(0, 0, "(iteration index)");
    if (has_keys)
        set_text(0, table.columns++, "Key");
    while (table.rows < ROWS_MAX && crw_peek_next(&walk, &key, &value)) {
        JSAtom index = JS_NewAtomUInt32(table.ctx, table.rows++);

        set_name(table.rows, 0, index);
        if (has_keys)
            set_value(table.rows, 1, key);
        set_value(table.rows, COLUMNS_MAX + 1, has_keys ? value : key);
        JS_FreeAtom(table.ctx, index);
    }
    table.rows_left_out = count - table.rows;
    table.has_values = true;
}

static bool add_named_column(JSValueConst list, JSAtom name)
{
    JSValue title = JS_UNDEFINED;

    if (crw_inspect_own(table.ctx, list, name, &title) > 0 &&
        (JS_IsString(title) || JS_IsNumber(title))) {
        JSAtom column = JS_ValueToAtom(table.ctx, title);

        (void)column_of(column);
        JS_FreeAtom(table.ctx, column);
    }
    JS_FreeValue(table.ctx, title);
    return !table.columns_left_out;
}

static void fill(JSValueConst data, JSValueConst columns)
{
    enum crw_peek_kind kind = crw_peek_kind(table.ctx, data);

    table.columns = 1;
    if (kind == CRW_PEEK_MAP || kind == CRW_PEEK_SET) {
        fill_from_entries(data, kind == CRW_PEEK_MAP);
        return;
    }
    set_text(0, 0, "(index)");
    columns = crw_inspect_unwrap(table.ctx, columns);
    if (JS_IsObject(columns) && crw_peek_kind(table.ctx, columns) == CRW_PEEK_ARRAY) {
        (void)for_each_name(columns, add_named_column);
        table.names_given = true;
    }
    table.rows_left_out = for_each_name(data, add_row);
}

/* --- drawing --------------------------------------------------------------------------------- */

static void put_rule(struct crw_out *out, const char *left, const char *middle, const char *right)
{
    for (unsigned i = 0; i < table.columns; i++) {
        crw_out_str(out, i ? middle : left);
        for (size_t n = 0; n < table.widths[i] + 2; n++)
            crw_out_str(out, "─");
    }
    crw_out_str(out, right);
}

static void put_row(struct crw_out *out, unsigned row)
{
    for (unsigned i = 0; i < table.columns; i++) {
        struct cell c = table.cells[row][i];
        const char *text = c.len ? table.text.text + c.at : "";
        size_t width = 0;

        for (size_t n = 0; n < c.len; n++)
            width += ((uint8_t)text[n] & 0xc0) != 0x80;
        crw_out_str(out, "│ ");
        crw_out_put(out, text, c.len);
        crw_out_spaces(out, table.widths[i] - width + 1);
    }
    crw_out_str(out, "│\n");
}

/* Moves the values to the column after the last one in use. */
static void place_values(void)
{
    for (unsigned row = 0; row <= table.rows; row++)
        table.cells[row][table.columns] = table.cells[row][COLUMNS_MAX + 1];
    table.widths[table.columns] = table.widths[COLUMNS_MAX + 1];
    table.columns++;
}

static void draw(struct crw_out *out)
{
    if (table.has_values) {
        set_text(0, COLUMNS_MAX + 1, "Values");
        place_values();
    }
    put_rule(out, "┌", "┬", "┐\n");
    put_row(out, 0);
    put_rule(out, "├", "┼", "┤\n");
    for (unsigned row = 1; row <= table.rows; row++)
        put_row(out, row);
    put_rule(out, "└", "┴", "┘");
    if (table.rows_left_out) {
        crw_out_str(out, "\n... ");
        crw_out_number(out, table.rows_left_out);
        crw_out_str(out, table.rows_left_out == 1 ? " more row" : " more rows");
    }
    if (table.columns_left_out)
        crw_out_str(out, "\n... more columns");
}

static void clear(void)
{
    unsigned names = table.columns - table.has_values;

    for (unsigned i = 1; i < names && i <= COLUMNS_MAX; i++)
        JS_FreeAtom(table.ctx, table.names[i - 1]);
}

bool crw_table_put(JSContext *ctx, struct crw_out *out, JSValueConst data, JSValueConst columns)
{
    struct crw_out text = table.text;

    data = crw_inspect_unwrap(ctx, data);
    if (!JS_IsObject(data))
        return false;
    memset(&table, 0, sizeof(table));
    table.ctx = ctx;
    table.text = text;
    crw_out_reset(&table.text, 0);
    fill(data, columns);
    draw(out);
    clear();
    return true;
}
