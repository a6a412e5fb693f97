// Lists the next days that fall on given weekdays, for instance the next five Mondays and Thursdays.
const DAY = 24 * 60 * 60 * 1000;
const names = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const { after, weekdays, count = 5 } = args;

const start = new Date(`${after}T00:00:00Z`).getTime();
if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== after) {
    throw new RangeError(`"after" is "${after}", which is no day of the calendar`);
}

const found = [];
for (let day = start + DAY; found.length < count; day += DAY) {
    const date = new Date(day);
    const weekday = names[date.getUTCDay()];
    if (weekdays.includes(weekday)) {
        found.push({ date: date.toISOString().slice(0, 10), weekday });
    }
}

return found;
