// expect: METADATA_INVALID LoadError "parametersSchema/type: expected one of"
// schema: {"type": "x", "pattern": "([", "$ref": "#/nowhere", "minimum": "1"}
// args: {}
return 1;
