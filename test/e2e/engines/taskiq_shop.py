"""taskiq with the published agent: `taskiq worker taskiq_shop:broker`."""
import asyncio

from taskiq import AsyncBroker
from z4j_bare import install_agent
from z4j_taskiq import TaskiqEngineAdapter, attach_to_broker


class IdleBroker(AsyncBroker):
    """Without a task: taskiq-redis does not go with the older redis that arq needs."""

    async def kick(self, message):
        raise NotImplementedError

    async def listen(self):
        while True:
            await asyncio.sleep(60)
            yield b""


broker = IdleBroker()
adapter = TaskiqEngineAdapter(broker=broker)
attach_to_broker(broker, adapter=adapter)
install_agent(engines=[adapter])
