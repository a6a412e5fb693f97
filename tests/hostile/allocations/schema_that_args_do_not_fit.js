// expect: VALIDATION_ERROR InputError "/a: expected number, got string"
// schema: {"properties": {"a": {"type": "number"}, "b": {"oneOf": [{"minimum": 1}, {"multipleOf": 2}]}}, "required": ["c"], "additionalProperties": false}
// args: {"a": "x", "b": -1, "d": 1}
return 1;
