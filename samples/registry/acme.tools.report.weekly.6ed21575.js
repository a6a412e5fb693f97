// Writes a weekly report in Markdown: a table of what was done, and the hours of each project.
// The variable REPORT_LANG chooses the language, where the configuration grants it.
const { week, rows } = args;

const languages = {
    en: { title: "Week", project: "Project", task: "Task", hours: "Hours", total: "Total" },
    de: { title: "Woche", project: "Projekt", task: "Aufgabe", hours: "Stunden", total: "Summe" },
    fr: { title: "Semaine", project: "Projet", task: "Tâche", hours: "Heures", total: "Total" },
};
const asked = args.env?.REPORT_LANG?.slice(0, 2); // "de_AT.UTF-8" is German
const language = Object.hasOwn(languages, asked ?? "") ? asked : "en";
const words = languages[language];

const cell = (text) => String(text).replaceAll("|", "\\|").replace(/\s+/g, " ");
const line = (...cells) => `| ${cells.map(cell).join(" | ")} |`;
const sum = (some) => Number(some.reduce((total, row) => total + row.hours, 0).toFixed(2));

const projects = Map.groupBy(rows, (row) => row.project);

return {
    language,
    markdown: [
        `# ${words.title} ${week}`,
        "",
        line(words.project, words.task, words.hours),
        "| --- | --- | ---: |",
        ...rows.map((row) => line(row.project, row.task, row.hours)),
        "",
        ...[...projects].map(([project, some]) => `- ${cell(project)}: ${sum(some)}`),
        `- **${words.total}: ${sum(rows)}**`,
        "",
    ].join("\n"),
};
