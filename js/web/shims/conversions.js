// conversions.js - replaces webidl-conversions in the url module, with the two functions that are
// used. The package itself needs properties of buffers that this engine does not have.
exports.any = (value) => value;

exports.USVString = (value, { context = "Value" } = {}) => {
    if (typeof value === "symbol")
        throw new TypeError(`${context} is a symbol, which cannot be converted to a string.`);
    return String(value).toWellFormed();
};
