// expect: PERMISSION_DENIED PermissionError "Requires import access to \"fs\""
// expect-blocked: import import fs
import fs from "fs";
return fs;
// case
// expect: PERMISSION_DENIED PermissionError "Requires import access to \"fs\""
// expect-blocked: import import fs
return 1;
import "fs";
// twin
// expect: SUCCESS 1
const fs = 1;
return fs;
