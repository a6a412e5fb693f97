// with const a = 1; import fs from "node:fs"; return fs
// with /* x */ import fs from "node:fs"; return fs
// with import { readFile } from 'node:fs'; return readFile
// with import * as fs from "node:fs"; return fs
// with import "node:fs"; return 1
// with if (1) { import fs from "node:fs" }
// expect: PERMISSION_DENIED PermissionError "Requires import access to \"node:fs\""
// expect-blocked: import import node:fs
// expect-log: import … Requires import access to "node:fs"
$CASE
// twin
// expect: SUCCESS "import fs from \"node:fs\""
return "import fs from \"node:fs\"";
