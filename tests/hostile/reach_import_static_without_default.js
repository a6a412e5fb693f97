// expect: PERMISSION_DENIED PermissionError "Requires import access to \"fs\""
// expect-blocked: import import fs
import fs from "fs";
fs.readFileSync("/etc/passwd");
// case
// expect: CODE_ERROR SyntaxError "export default"
export const x = 1;
// twin
// expect: SUCCESS null
const x = 1;
