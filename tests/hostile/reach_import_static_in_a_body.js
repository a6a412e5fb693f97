// expect: CODE_ERROR|PERMISSION_DENIED
// expect-blocked: any
import fs from "fs";
return fs;
// case
// expect: CODE_ERROR|PERMISSION_DENIED
// expect-blocked: any
return 1;
import "fs";
// twin
// expect: SUCCESS 1
const fs = 1;
return fs;
