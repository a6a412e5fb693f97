// expect: CODE_ERROR|PERMISSION_DENIED
// expect-blocked: any
import fs from "fs";
fs.readFileSync("/etc/passwd");
// case
// expect: CODE_ERROR|PERMISSION_DENIED
// expect-blocked: any
export const x = 1;
// twin
// expect: SUCCESS null
const x = 1;
