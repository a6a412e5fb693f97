// A morning briefing from three tools that are asked at the same time. A tool that is missing or
// fails leaves a gap; the others are still told.
const { city, date } = args;

const questions = {
    "weather:today": mcp.weather.today({ city, date }),
    "news:headlines": mcp.news.headlines({ about: city, limit: 3 }),
    "calendar:events": mcp.calendar.events({ date }),
};
const answers = await Promise.allSettled(Object.values(questions));

const briefing = { city, date, parts: {}, unavailable: [] };
Object.keys(questions).forEach((tool, i) => {
    if (answers[i].status === "fulfilled") {
        briefing.parts[tool] = answers[i].value;
    } else {
        briefing.unavailable.push(tool);
    }
});

return briefing;
