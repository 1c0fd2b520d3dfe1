"""Dramatiq with the published agent: `dramatiq dramatiq_shop`. Run as a program it enqueues one message."""
import os

import dramatiq
from dramatiq.brokers.redis import RedisBroker
from z4j_bare import install_agent
from z4j_dramatiq import DramatiqEngineAdapter

from shop_jobs import add

broker = RedisBroker(url=os.environ["SHOP_BROKER"])
dramatiq.set_broker(broker)
actor = dramatiq.actor(add)

if __name__ == "__main__":
    actor.send(2, 3)
else:
    install_agent(engines=[DramatiqEngineAdapter(broker=broker)])
