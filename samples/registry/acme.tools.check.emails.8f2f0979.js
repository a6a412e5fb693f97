// Sorts a list of e-mail addresses: usable ones, faulty ones with the reason, and repeated ones.
function faultOf(address) {
    const [local, domain, ...rest] = address.split("@");
    if (domain === undefined || rest.length > 0) {
        return "it needs exactly one @";
    }
    if (!/^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(local)) {
        return "the part before the @ is empty, or has a character or a dot that cannot be there";
    }
    if (local.length > 64 || address.length > 254) {
        return "it is too long";
    }
    const labels = domain.split(".");
    if (labels.length < 2) {
        return "the part after the @ has no dot";
    }
    const isLabel = (label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label);
    return labels.every(isLabel) ? null : `"${domain}" cannot be the name of a host`;
}

const result = { valid: [], invalid: [], repeated: [] };
const seen = new Set();

for (const text of args.addresses) {
    const address = text.trim().toLowerCase();
    const fault = faultOf(address);
    if (fault) {
        result.invalid.push({ address: text, fault });
    } else if (seen.has(address)) {
        result.repeated.push(address);
    } else {
        seen.add(address);
        result.valid.push(address);
    }
}

return result;
