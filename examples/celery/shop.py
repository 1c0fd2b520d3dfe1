"""A shop on Celery for the tour in the README. It needs Redis at 127.0.0.1:6379, or where SHOP_BROKER says.

    celery -A shop worker -E --hostname worker@shop    runs its tasks, with the agent beside them
    python shop.py                                     orders three times, and prints the ids of the tasks
"""
import os
from uuid import uuid4

import redis
from celery import Celery

import z4j_celery  # noqa: F401 (importing it starts the agent in each worker)

broker = os.environ.get("SHOP_BROKER", "redis://127.0.0.1:6379/0")
store = redis.Redis.from_url(broker)

app = Celery("shop", broker=broker, backend=broker)
app.conf.update(
    result_extended=True,  # the result backend keeps the arguments, and a retry takes them from there
    worker_send_task_events=True,  # as the option -E: tasks are reported from their start to their end
    worker_pool_restarts=True,  # the worker can be restarted from svc
    broker_connection_retry_on_startup=True,
)


@app.task
def charge(order, cents):
    """The bank declines each order once, so that there is something to retry."""
    if store.incr(f"shop:charge:{order}") == 1:
        raise RuntimeError(f"the bank declined order {order}")
    return {"order": order, "charged": cents}


@app.task
def thank(order):
    return f"thank you for order {order}"


def order():
    number = uuid4().hex[:8]
    return [charge.delay(number, cents=1999).id, thank.delay(number).id]


if __name__ == "__main__":
    print(*(task_id for _ in range(3) for task_id in order()))
