// expect: SUCCESS true
// expect-call: echo:x "ä€😀😀﻿￿"
await mcp.echo.x("ä€😀\ud83d\ude00\ufeff\uffff");
return true;
// case
// expect: SUCCESS "ä€😀😀﻿￿"
return "ä€😀\ud83d\ude00\ufeff\uffff";
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
