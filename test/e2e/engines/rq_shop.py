"""RQ with the published agent: `rq worker -c rq_shop`. Run as a program it enqueues one job."""
import os

import redis
from rq import Queue
from z4j_rq.worker_bootstrap import register_worker_bootstrap

from shop_jobs import add

REDIS_URL = os.environ["SHOP_BROKER"]

if __name__ == "__main__":
    Queue(connection=redis.Redis.from_url(REDIS_URL)).enqueue(add, 2, 3)
else:
    register_worker_bootstrap()
