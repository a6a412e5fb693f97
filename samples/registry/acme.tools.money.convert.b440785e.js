// Converts an amount to several currencies at once. Live rates come from the tool rates:latest;
// where there is none, the rate given in the args is used.
const { amount, from, to, rates = {} } = args;

async function rateOf(currency) {
    try {
        const { rate } = await mcp.rates.latest({ from, to: currency });
        if (rate > 0) {
            return { rate, source: "live" };
        }
    } catch (error) {
        console.warn(`no live rate for ${currency}: ${error.message}`);
    }
    return Object.hasOwn(rates, currency)
        ? { rate: rates[currency], source: "args" }
        : { rate: null, source: "none" };
}

async function convert(currency) {
    const { rate, source } = await rateOf(currency);
    return { currency, amount: rate && Number((amount * rate).toFixed(2)), source };
}

return { amount, from, converted: await Promise.all(to.map(convert)) };
