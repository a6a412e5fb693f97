// expect: CODE_ERROR SyntaxError
}) ; (function () {
// case
// expect: CODE_ERROR SyntaxError
})(); (async function () {
// case
// expect: CODE_ERROR SyntaxError
}, async () => {
// case
// expect: CODE_ERROR SyntaxError
})(), (function () { return 1
// case
// expect: CODE_ERROR SyntaxError
}); globalThis.ran = 1; (async (mcp, args) => {
// case
// expect: CODE_ERROR SyntaxError
});{(
// case
// expect: CODE_ERROR SyntaxError
} function other() {
// case
// expect: CODE_ERROR SyntaxError
}); export default (() => {
// twin
// expect: SUCCESS 1
return (function () { return 1 })();
