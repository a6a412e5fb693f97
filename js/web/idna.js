// idna.js - hosts that are not plain ASCII, from tr46. Its tables are why this is a module apart.
exported = require("tr46");
