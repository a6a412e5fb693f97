// validate.js - checks which of the texts on standard input fit a JSON Schema.
//
// Reads {"schema": ..., "texts": ["..."]}. Prints null for each text that fits, or the reason.
"use strict";
const Ajv = require("ajv/dist/2020").default;
const { schema, texts } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const validate = new Ajv({ strict: true, strictTypes: false, strictRequired: false }).compile(schema);

console.log(JSON.stringify(texts.map((text) => (validate(JSON.parse(text)) ? null : JSON.stringify(validate.errors)))));
