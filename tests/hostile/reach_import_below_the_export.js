// expect: PERMISSION_DENIED PermissionError "Requires import access to \"fs\""
// expect-blocked: import import fs
// expect-log: import … Requires import access to "fs"
export default () => "it ran";
import "fs";
// twin
// expect: SUCCESS "it ran"
export default () => "it ran";
