// expect: SUCCESS 3
// schema: {"$ref": "#/$defs/o", "unevaluatedProperties": false, "$defs": {"o": {"properties": {"a": {"type": "string", "pattern": "^x+$"}, "b": {"anyOf": [{"const": [1]}, {"type": "null"}]}}, "patternProperties": {"^c": {"items": {"enum": [1, 2]}}}}}}
// args: {"a": "xxx", "b": null, "c": [1, 2]}
return args.a.length;
