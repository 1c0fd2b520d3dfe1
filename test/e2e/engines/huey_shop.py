"""Huey with the published agent: `huey_consumer huey_shop.huey`."""
import os

from huey import RedisHuey
from z4j_bare import install_agent
from z4j_huey import HueyEngineAdapter

huey = RedisHuey("shop", url=os.environ["SHOP_BROKER"])
install_agent(engines=[HueyEngineAdapter(huey=huey)])
