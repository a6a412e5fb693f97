// tr46.js - stands in for tr46 in the url module, which asks it about hosts that are not plain
// ASCII and no others: the tables are loaded then.
exports.toASCII = (domain, options) => native.load("idna").toASCII(domain, options);
