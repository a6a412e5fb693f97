// validate.js - which of the texts on standard input fit the schema?
//
// Reads {"schema": ..., "texts": ["..."]}, and prints for each text null if it fits, or words.
"use strict";
const Ajv = require("ajv/dist/2020").default;
const { schema, texts } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const validate = new Ajv({ strict: true, strictTypes: false, strictRequired: false }).compile(schema);

console.log(JSON.stringify(texts.map((text) => (validate(JSON.parse(text)) ? null : JSON.stringify(validate.errors)))));
