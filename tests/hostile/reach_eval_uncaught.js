// expect: PERMISSION_DENIED PermissionError "Requires eval access"
// expect-blocked: eval eval -
eval("1");
// case
// expect: PERMISSION_DENIED PermissionError "Requires eval access"
// expect-blocked: Function eval -
new Function("return 1");
// case
// expect: PERMISSION_DENIED PermissionError "Requires eval access"
// expect-blocked: AsyncFunction eval -
await (async () => {}).constructor("return 1")();
// twin
// expect: SUCCESS 1
return (() => 1)();
