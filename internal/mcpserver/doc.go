package mcpserver

import _ "github.com/modelcontextprotocol/go-sdk/mcp"
