// Counts the working days from one day to another, both included: no weekends, no holidays.
const DAY = 24 * 60 * 60 * 1000;

function parse(text, name) {
    const date = new Date(`${text}T00:00:00Z`);
    if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text) {
        throw new RangeError(`"${name}" is "${text}", which is no day of the calendar`);
    }
    return date.getTime();
}

const from = parse(args.from, "from");
const to = parse(args.to, "to");
const holidays = new Set((args.holidays ?? []).map((day) => parse(day, "holidays")));
if (to < from) {
    throw new RangeError(`"to" (${args.to}) is before "from" (${args.from})`);
}

const result = { businessDays: 0, weekendDays: 0, holidays: 0 };
for (let day = from; day <= to; day += DAY) {
    const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
    if (isWeekend) {
        result.weekendDays++;
    } else if (holidays.has(day)) {
        result.holidays++;
    } else {
        result.businessDays++;
    }
}

return result;
