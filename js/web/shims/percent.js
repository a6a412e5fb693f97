// percent.js - stands in for @exodus/bytes/whatwg.js in the url module: queries, always in UTF-8.
//
// The URL API has no way to ask for another encoding; only HTML documents have.
exports.percentEncodeAfterEncoding = (encoding, text, set) => {
    let out = "";
    for (const byte of native.utf8Encode(text)) {
        const char = String.fromCharCode(byte);
        out += byte < 0x20 || byte > 0x7e || set.includes(char)
            ? "%" + (byte < 16 ? "0" : "") + byte.toString(16).toUpperCase()
            : char;
    }
    return out;
};
