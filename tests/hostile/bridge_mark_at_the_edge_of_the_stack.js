// expect: PERMISSION_DENIED PermissionError "Requires eval access"
// expect-blocked-count: any
const errors = [];
function deep() {
    try {
        deep();
    } catch {
        try {
            eval("1");
        } catch (e) {
            if (e.code === "PERMISSION_DENIED") errors.push(e);
        }
    }
}
deep();
throw errors[0];
// twin
// expect: SUCCESS "RangeError"
function deeper() { deeper(); }
try {
    deeper();
} catch (e) {
    return e.name;
}
