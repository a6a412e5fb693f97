// with import fs from "fs";
// with import "fs";
// with import { readFileSync } from "fs";
// with import * as fs from "fs";
// with import fs from "fs" with { type: "json" };
// expect: PERMISSION_DENIED PermissionError "Requires import access to \"fs\""
// expect-blocked: import import fs
// expect-log: import … Requires import access to "fs"
$CASE
export default () => "it ran";
// twin
// expect: SUCCESS "it ran"
export default () => "it ran";
