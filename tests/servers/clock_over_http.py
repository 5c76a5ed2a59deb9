"""An MCP server of the SDK over streamable HTTP on loopback: `clock_over_http.py PORT`."""

import sys

from mcp.server import MCPServer

server = MCPServer("clock", version="1.0")


@server.tool()
def current_time(timezone: str) -> str:
    """Tell the current time in a timezone."""
    return f"noon in {timezone}"


if __name__ == "__main__":
    server.run(transport="streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
