// expect: PERMISSION_DENIED PermissionError "Requires import access to \"a\""
// expect-blocked: import import a
import a from "a";
import b from "b";
export default () => "it ran";
// case
// expect: PERMISSION_DENIED PermissionError "Requires import access to \"a\""
// expect-blocked: import import a
import a from "a";
globalThis.ran = true;
console.log("the module ran");
export default () => "it ran";
// twin
// expect: SUCCESS true
globalThis.ran = true;
export default () => globalThis.ran;
