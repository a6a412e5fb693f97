// expect: PERMISSION_DENIED PermissionError "Requires import access to \"fs\""
// expect-blocked: import import fs
export { default } from "fs";
// twin
// expect: SUCCESS "it ran"
export const other = 1;
export default () => "it ran";
