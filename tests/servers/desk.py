"""Two MCP servers of the SDK with clashing tool names, over stdio: `desk.py docs` and `desk.py mail_box`."""

import os
import sys
import time

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

PAGES = {"p1": "Mail is kept for 90 days.", "p2": "Backups run every night."}

time.sleep(float(os.environ.get("DESK_DELAY_S", "0")))
name = sys.argv[1]
server = MCPServer(name, version="1.0")

if name == "docs":

    @server.tool(structured_output=False)
    def search(query: str) -> str:
        """Search the pages of the handbook."""
        return f"pages for {query!r}: {', '.join(PAGES)}"

    @server.tool(structured_output=False)
    def read_page(page: str) -> str:
        """Read one page of the handbook."""
        if page not in PAGES:
            raise ToolError(f"no page {page}")
        return PAGES[page]

else:

    @server.tool(name="search", structured_output=False)
    def search_mail(query: str) -> str:
        """Search the messages in the mail box."""
        return f"one message for {query!r}: m1"

    @server.tool(structured_output=False)
    def send_message(to: str, text: str) -> str:
        """Send a message to somebody."""
        return f"sent {len(text)} characters to {to}"


if __name__ == "__main__":
    server.run()
