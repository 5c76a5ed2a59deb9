"""The names for writing an agent: the protocols it follows, and the values that pass between it and the loop."""

from .gates.trace import Usage
from .runners.agents.agent import Agent, AskedCall, Conversation, OfferedTool, Task, ToolAnswer, Turn
from .runners.agents.lexical import LexicalAgent

__all__ = [
    "Agent",
    "AskedCall",
    "Conversation",
    "LexicalAgent",
    "OfferedTool",
    "Task",
    "ToolAnswer",
    "Turn",
    "Usage",
]
