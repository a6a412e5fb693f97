return await mcp.s.plain({})
