// Makes sense of a log: lines by level, the time they span, and the most frequent problems.
// A line is "2026-02-09T10:00:00Z LEVEL message"; lines of another form are counted as unknown.
const { lines, top = 5 } = args;

// Messages that differ only in numbers are the same problem.
const shape = (message) => message.replace(/\d+(\.\d+)?/g, "#");

const levels = {};
const problems = new Map();
const times = [];
let unknown = 0;

for (const line of lines) {
    const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (DEBUG|INFO|WARN|ERROR) (.*)$/s.exec(line);
    if (!match) {
        unknown++;
        continue;
    }
    const [, time, level, message] = match;
    times.push(time);
    levels[level] = (levels[level] ?? 0) + 1;
    if (level === "WARN" || level === "ERROR") {
        const key = `${level} ${shape(message)}`;
        problems.set(key, (problems.get(key) ?? 0) + 1);
    }
}

times.sort();

return {
    lines: lines.length,
    unknown,
    levels,
    first: times.at(0) ?? null,
    last: times.at(-1) ?? null,
    problems: [...problems]
        .sort(([, a], [, b]) => b - a)
        .slice(0, top)
        .map(([problem, count]) => ({ problem, count })),
};
