// percent.js - replaces @exodus/bytes/whatwg.js in the url module: encodes queries, always as UTF-8.
//
// Only HTML documents can ask for another encoding; the URL API cannot.
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
