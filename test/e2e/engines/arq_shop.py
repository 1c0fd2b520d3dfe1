"""arq with the published agent: `arq arq_shop.WorkerSettings`."""
import os

from arq.connections import RedisSettings
from z4j_arq import ArqEngineAdapter, attach_to_worker_settings
from z4j_bare import install_agent


async def add(ctx, a, b):
    return a + b


class WorkerSettings:
    functions = [add]
    redis_settings = RedisSettings.from_dsn(os.environ["SHOP_BROKER"])


adapter = ArqEngineAdapter(redis_settings=WorkerSettings.redis_settings, function_names=["add"])
attach_to_worker_settings(WorkerSettings, adapter=adapter)
install_agent(engines=[adapter])
