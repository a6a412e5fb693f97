// expect: PERMISSION_DENIED PermissionError "Requires import access to \"fs\""
// expect-blocked: import* import fs
// expect-log: import … Requires import access to "fs"
import fs from "fs";
export default () => "it ran";
// twin
// expect: SUCCESS "it ran"
export default () => "it ran";
