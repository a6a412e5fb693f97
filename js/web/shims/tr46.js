// tr46.js - replaces tr46 in the url module. It is called only for hosts that are not plain ASCII,
// and loads the tables then.
exports.toASCII = (domain, options) => native.load("idna").toASCII(domain, options);
