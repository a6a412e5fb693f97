// expect: SUCCESS 1048576
// expect-call: value:long {}
return (await mcp.value.long()).length;
// case
// expect: SUCCESS [1,2]
// expect-call: value:spaced {}
return mcp.value.spaced();
// case
// expect: SUCCESS true
// expect-call: value:zero {}
return Object.is(await mcp.value.zero(), -0);
// twin
// expect: SUCCESS null
// expect-call: value:null {}
return mcp.value.null();
