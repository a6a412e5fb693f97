// generate.js - makes the man pages whose facts are elsewhere already, and prints them:
//
//     node generate.js header HEADER EXAMPLE   caprun.3, from the comments and prototypes of the header
//     node generate.js config VERSION PAGE...  caprun.json.5, from the Markdown of docs/config.md and others
"use strict";

const fs = require("node:fs");

const DATE = "November 2026";
const WIDTH = 70; // of a prototype, in characters

// --- roff -------------------------------------------------------------------------------------

// Characters that roff would interpret; a minus that a user may copy stays one.
const escaped = (text) => text.replace(/\\/g, "\\(rs").replace(/-/g, "\\-").replace(/'/g, "\\(aq").replace(/`/g, "\\(ga")
  .replace(/\^/g, "\\(ha").replace(/~/g, "\\(ti").replace(/[^\x00-\x7f]/gu, (c) => `\\[u${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);

// A line must not begin with a control character.
const line = (text) => text.replace(/^(?=\.|\\\(aq)/, "\\&");

const lines = (text) => text.split("\n").map(line).join("\n");
const block = (text) => `.PP\n.RS 4\n.nf\n${lines(escaped(text.replace(/\s+$/, "")))}\n.fi\n.RE\n`;
const head = (name, section, version, title) => `.TH ${name} ${section} "${DATE}" "caprun ${version}" "${title}"\n.nh\n.ad l\n`; // names are not hyphenated

// --- the header ---------------------------------------------------------------------------------

// In comments: |param|, caprun_function(), and names in capitals.
const prose = (text) => line(escaped(text)
  .replace(/\|([A-Za-z_]+)\|/g, "\\fI$1\\fP")
  .replace(/\b(caprun_\w+)\(\)/g, "\\fB$1\\fP()")
  .replace(/\b(CAPRUN_[A-Z_]+\w)/g, "\\fB$1\\fP"));

// The text of a comment without its marks.
const uncomment = (text) => text.replace(/^\/\*+ ?\n?/, "").replace(/\s*\*\/$/, "").split("\n")
  .map((l) => l.replace(/^ \* ?/, "")).join("\n");

// Paragraphs, indented examples, and lists whose items begin with "- name:".
function comment(text) {
  let out = "";
  for (const part of uncomment(text).split(/\n\s*\n/)) {
    if (/^ {4}/.test(part)) {
      out += block(part.replace(/^ {4}/gm, ""));
      continue;
    }
    const [before, ...items] = part.split(/(?:^|\n)- /);
    if (before.trim()) out += `.PP\n${prose(before.trim().replace(/\s*\n\s*/g, " "))}\n`;
    for (const item of items) {
      const [, name, words] = /^(\w+): ([^]*)$/.exec(item.trim().replace(/\s*\n\s*/g, " "));
      out += `.TP\n.B ${name}\n${prose(words)}\n`;
    }
  }
  return out;
}

// A prototype on lines of WIDTH characters, broken after commas.
function prototype(text) {
  const words = text.replace(/^CAPRUN_API /, "").replace(/\s+/g, " ").trim().split(/(?<=,) /);
  const made = [""];
  for (const word of words) {
    const last = made.length - 1;
    if (!made[last]) made[last] = word;
    else if (made[last].length + 1 + word.length <= WIDTH) made[last] += ` ${word}`;
    else made.push(`    ${word}`);
  }
  return made.join("\n");
}

function enumeration(text) {
  const [, name] = /^enum (\w+)/.exec(text);
  const values = [...text.matchAll(/^ {4}(\w+)(?: = (-?\w+))?,? *(?:\/\* (.*?) \*\/)?/gm)];
  let out = `.PP\n.B enum ${name}\n`;
  for (const [, value, number, words] of values)
    out += `.TP\n.BR ${value} " = ${escaped(number)}"\n${prose(words || escaped("…"))}\n`.replace(`\n${prose(escaped("…"))}\n`, "\n");
  return out;
}

function outcomes(text) {
  const rows = [...text.matchAll(/XX\((\w+), "(\w*)", (\d+)\)/g)].map(([, name, type, status]) =>
    `${`CAPRUN_OUTCOME_${name}`.padEnd(36)}${type.padEnd(16)}${status.padStart(3)}`);
  return `.PP\n.B enum caprun_outcome\n${block(rows.join("\n"))}`;
}

// The declarations that follow a comment, up to an empty line.
function declarations(text) {
  let out = "", prototypes = "";
  for (const [one] of text.matchAll(/#define(?:\\\n|[^\n])*|enum \w+ \{[^]*?\};|(?:typedef|CAPRUN_API|struct)[^;{]*;/g)) {
    if (one.startsWith("#define CAPRUN_OUTCOME_MAP")) out += outcomes(one);
    else if (one.startsWith("#define CAPRUN_API")) continue;
    else if (!one.startsWith("enum")) prototypes += `${one.startsWith("#") ? one.replace(/\s*\/\*.*/, "") : prototype(one)}\n`;
    else if (!one.includes("XX(")) out += enumeration(one);
  }
  if (prototypes) out = `.PP\n.nf\n\\fB${lines(escaped(prototypes.trimEnd()))}\\fP\n.fi\n${out}`;
  return out;
}

const inSection = (title) => `.SH ${title.toUpperCase()}\n`;

function headerPage(header, example) {
  const version = /CAPRUN_VERSION "(.*)"/.exec(header)[1];
  const [top, rest] = [header.slice(0, header.indexOf("*/") + 2), header.slice(header.indexOf("#define CAPRUN_VERSION"))];
  const [title, ...theory] = uncomment(top).replace(/^caprun\.h - /, "").split(/\n\n/);
  let out = head("CAPRUN", 3, version, "Library Functions Manual");

  out += `.SH NAME\nlibcaprun \\- ${escaped(title.replace(/^.*?: /, "").replace(/\.$/, ""))}\n`;
  out += ".SH SYNOPSIS\n.nf\n\\fB#include <caprun.h>\\fP\n\n";
  out += "cc \\fIprogram.c\\fP $(pkg\\-config \\-\\-cflags \\-\\-libs caprun)\n.fi\n";
  out += `.SH DESCRIPTION\n${comment(theory.join("\n\n"))}`;
  out += inSection("versions, errors, permissions, outcomes");
  const parts = rest.slice(0, rest.indexOf("#ifdef __cplusplus\n}")).split(/\n\n+|\n(?=\/\*)/);
  for (const part of parts) {
    const section = /^\/\* --- (.*?) -+ \*\/$/.exec(part);
    if (section) {
      out += inSection(section[1]);
      continue;
    }
    const [said] = /^\/\*[^]*?\*\//.exec(part) || [""];
    const declared = declarations(part.slice(said.length));
    out += said && declared.startsWith(".PP\n.nf") ? declared + comment(said) : comment(said) + declared;
  }
  out += `.SH EXAMPLE\nThis program is installed with the documents, as part of embedding.md.\n${block(example)}`;
  return out + ".SH SEE ALSO\n.BR caprun (1),\n.BR caprun.json (5);\nembedding.md has this in the order in which you need it, with more programs.\n";
}

// --- Markdown -----------------------------------------------------------------------------------

const inline = (text) => line(escaped(text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"))
  .replace(/\*\*(.+?)\*\*/g, "\\fB$1\\fP")
  .replace(/\\\(ga(.+?)\\\(ga/g, "\\fB$1\\fP"));

const capital = (text) => text.replace(/^[a-z]/, (c) => c.toUpperCase());

// Each row is a paragraph under its first cell. The last cell needs no name if it is a text.
function table(rows) {
  const cells = rows.map((row) => row.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim()));
  const [names, , ...values] = cells;
  let out = "";
  for (const [first, ...others] of values) {
    const said = others.map((cell, i) => [names[i + 1], cell]).filter(([, cell]) => cell)
      .map(([name, cell], i, all) => all.length === 1 || name === "meaning" ? capital(cell) : `${capital(name)}: ${cell}`);
    out += `.TP\n${inline(first)}\n${said.map((text) => inline(text.endsWith(".") ? text : `${text}.`)).join("\n.br\n")}\n`;
  }
  return out;
}

// The title of the first page is that of the man page; the others are sections.
function heading(text, isFirst) {
  const level = /^#+/.exec(text)[0].length + (isFirst ? -1 : 0);
  const title = inline(text.replace(/^#+ /, ""));
  if (level === 0) return "";
  return level === 1 ? `.SH ${title.toUpperCase().replace(/\\F/g, "\\f")}\n` : `.SS ${title}\n`;
}

function markdown(text, isFirst) {
  let out = "";
  for (const part of text.trim().split(/\n\n+/)) {
    const rows = part.split("\n");
    if (part.startsWith("#")) out += heading(part, isFirst);
    else if (part.startsWith("|")) out += table(rows);
    else if (part.startsWith("```")) out += block(rows.slice(1, -1).join("\n"));
    else if (part.startsWith("    ")) out += block(part.replace(/^ {4}/gm, ""));
    else if (part.startsWith("- ")) out += rows.map((row) => `.IP \\(bu 2\n${inline(row.slice(2))}\n`).join("");
    else if (/^1\. /.test(part)) out += rows.map((row) => `.IP ${row.replace(/ .*/, "")} 3\n${inline(row.replace(/^\d+\. /, ""))}\n`).join("");
    else out += `.PP\n${inline(rows.join(" "))}\n`;
  }
  return out;
}

function configPage(version, pages) {
  return `${head("CAPRUN.JSON", 5, version, "File Formats Manual")}.SH NAME\ncaprun.json \\- the configuration of caprun, .caprun.json
.SH DESCRIPTION\n${pages.map((page, i) => markdown(page, i === 0)).join("")}.SH SEE ALSO\n.BR caprun (1),\n.BR caprun (3)\n`;
}

const [, , kind, first, ...more] = process.argv;
const read = (path) => fs.readFileSync(path, "utf8");
process.stdout.write(kind === "header" ? headerPage(read(first), read(more[0])) : configPage(first, more.map(read)));
