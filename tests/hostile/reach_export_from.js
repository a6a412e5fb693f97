// with export { readFileSync } from "fs";
// with export * as fs from "fs";
// with export * from "fs";
// expect: PERMISSION_DENIED PermissionError "Requires import access to \"fs\""
// expect-blocked: import import fs
$CASE
export default () => "it ran";
// twin
// expect: SUCCESS "it ran"
export const other = 1;
export default () => "it ran";
