// conversions.js - stands in for webidl-conversions in the url module: the two that it uses. The
// package itself asks for parts of buffers that this engine has not.
exports.any = (value) => value;

exports.USVString = (value, { context = "Value" } = {}) => {
    if (typeof value === "symbol")
        throw new TypeError(`${context} is a symbol, which cannot be converted to a string.`);
    return String(value).toWellFormed();
};
