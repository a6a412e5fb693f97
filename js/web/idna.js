// idna.js - host names that are not ASCII, from tr46. A separate module because of its large tables.
exported = require("tr46");
