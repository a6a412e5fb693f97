// Checks bank account numbers (IBAN): country, length and check digits.
const lengths = {
    AT: 20, BE: 16, BG: 22, CH: 21, CY: 28, CZ: 24, DE: 22, DK: 18, EE: 20, ES: 24, FI: 18,
    FR: 27, GB: 22, GR: 27, HR: 21, HU: 28, IE: 22, IS: 26, IT: 27, LI: 21, LT: 20, LU: 20,
    LV: 21, MT: 31, NL: 18, NO: 15, PL: 28, PT: 25, RO: 24, SE: 24, SI: 19, SK: 24,
};

function faultOf(iban) {
    const country = iban.slice(0, 2);
    if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]+$/.test(iban)) {
        return "it is not two letters, two digits and then letters or digits";
    }
    if (!Object.hasOwn(lengths, country)) {
        return `the country "${country}" is not known here`;
    }
    if (iban.length !== lengths[country]) {
        return `it has ${iban.length} characters, but those of ${country} have ${lengths[country]}`;
    }
    // The first four go to the end, A is 10 to Z is 35, and the rest of a division by 97 is 1.
    const turned = iban.slice(4) + iban.slice(0, 4);
    const digits = turned.replace(/[A-Z]/g, (letter) => parseInt(letter, 36));
    return BigInt(digits) % 97n === 1n ? null : "its check digits are wrong";
}

return args.ibans.map((text) => {
    const iban = text.replace(/\s/g, "").toUpperCase();
    const fault = faultOf(iban);
    return fault
        ? { iban: text, valid: false, fault }
        : { iban: iban.match(/.{1,4}/g).join(" "), valid: true };
});
