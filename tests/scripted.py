"""An agent that does as it is told, turn by turn."""

from collections.abc import Sequence

from toolgrade.runners.agents.agent import AskedCall, Task, ToolAnswer, Turn


def asking(name: str, **args: object) -> AskedCall:
    return AskedCall(name, name, args)


class Script:
    """Says the given turns in every run, and keeps what it was given to read."""

    def __init__(self, *turns: Turn) -> None:
        self._turns = turns
        self.read: list[list[ToolAnswer]] = []
        self.tasks: list[Task] = []

    def begin(self, task: Task) -> "Script.Run":
        self.tasks.append(task)
        return Script.Run(self)

    class Run:
        def __init__(self, script: "Script") -> None:
            self._script, self._turns = script, iter(script._turns)

        async def turn(self, answers: Sequence[ToolAnswer]) -> Turn:
            self._script.read.append(list(answers))
            return next(self._turns)
