// Groups rows by one or more columns and aggregates others, like GROUP BY in SQL.
const { rows, by, aggregates = [] } = args;

const functions = {
    sum: (values) => values.reduce((a, b) => a + b, 0),
    mean: (values) => functions.sum(values) / values.length,
    min: (values) => values.reduce((a, b) => Math.min(a, b)),
    max: (values) => values.reduce((a, b) => Math.max(a, b)),
};

function cell(row, column) {
    if (!Object.hasOwn(row, column)) {
        throw new Error(`row ${rows.indexOf(row) + 1} has no column "${column}"`);
    }
    return row[column];
}

function number(row, column) {
    const value = cell(row, column);
    if (typeof value !== "number") {
        throw new TypeError(
            `row ${rows.indexOf(row) + 1}: "${column}" is ${JSON.stringify(value)}, not a number`,
        );
    }
    return value;
}

const groups = Map.groupBy(rows, (row) => JSON.stringify(by.map((column) => cell(row, column))));

return [...groups.values()].map((members) =>
    Object.fromEntries([
        ["group", Object.fromEntries(by.map((column) => [column, members[0][column]]))],
        ["count", members.length],
        ...aggregates.map(({ column, function: name }) => [
            `${column}_${name}`,
            functions[name](members.map((row) => number(row, column))),
        ]),
    ]),
);
