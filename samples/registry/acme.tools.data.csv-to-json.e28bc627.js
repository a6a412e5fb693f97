// Turns CSV into rows. The first line names the columns; a field in quotes may hold separators,
// line ends and doubled quotes.
const { csv, separator = ",", numbers = false } = args;

function parse(text) {
    const records = [];
    let record = [];
    let field = "";
    let quoted = false;

    const endField = () => {
        record.push(field);
        field = "";
    };
    const endRecord = () => {
        endField();
        if (record.length > 1 || record[0] !== "") {
            records.push(record); // an empty line is no record
        }
        record = [];
    };

    for (let i = 0; i < text.length; i++) {
        const char = text[i];
        if (quoted && char === '"' && text[i + 1] === '"') {
            field += text[++i];
        } else if (quoted ? char === '"' : char === '"' && field === "") {
            quoted = !quoted;
        } else if (quoted) {
            field += char;
        } else if (char === separator) {
            endField();
        } else if (char === "\n") {
            endRecord();
        } else {
            field += char;
        }
    }
    if (quoted) {
        throw new SyntaxError(`a quote is never closed; the field begins with "${field.slice(0, 40)}"`);
    }
    endRecord();
    return records;
}

// "007" stays as it is: it is somebody's code, not a number.
const isNumber = (field) => /^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(field);
const convert = (field) => (numbers && isNumber(field) ? Number(field) : field);

const [columns = [], ...records] = parse(csv.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n"));
if (new Set(columns).size < columns.length) {
    throw new Error(`the first line names a column twice: ${columns.join(separator)}`);
}

return records.map((record, index) => {
    if (record.length !== columns.length) {
        throw new Error(
            `record ${index + 1} has ${record.length} fields, but there are ${columns.length} columns`,
        );
    }
    return Object.fromEntries(columns.map((column, i) => [column, convert(record[i])]));
});
