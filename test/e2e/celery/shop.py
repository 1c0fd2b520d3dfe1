"""The tasks of a small shop, for the end-to-end tests. Importing z4j_celery is all that an app has to do."""
import os
import sys
import time

from celery import Celery, chain, group

import z4j_celery  # noqa: F401

broker = os.environ["SHOP_BROKER"]
app = Celery("shop", broker=broker, backend=broker)
app.conf.update(
    result_extended=True,
    task_track_started=True,
    worker_send_task_events=os.environ.get("SHOP_EVENTS") != "off",
    broker_connection_retry_on_startup=True,
    worker_pool_restarts=True,
)


@app.task
def add(a, b):
    return a + b


@app.task
def fail(reason):
    raise ValueError(reason)


@app.task(bind=True, max_retries=1, default_retry_delay=1)
def flaky(self):
    if self.request.retries == 0:
        raise self.retry(exc=KeyError("first time"))
    return "second time lucky"


@app.task(bind=True, max_retries=1, default_retry_delay=5)
def flakier(self):
    if self.request.retries == 0:
        raise self.retry(exc=KeyError("first time"))
    return "second time lucky"


@app.task
def nap(seconds):
    time.sleep(seconds)
    return seconds


@app.task
def login(user, password=None, api_key=None):
    return user


def send(what):
    if what == "add":
        return [add.delay(2, 3).id]
    if what == "fail":
        return [fail.delay("no stock").id]
    if what == "flaky":
        return [flaky.delay().id]
    if what == "flakier":
        return [flakier.delay().id]
    if what == "nap":
        return [nap.delay(60).id]
    if what == "naps":
        return [nap.delay(0.3).id for _ in range(30)]
    if what == "login":
        return [login.delay("bob", password="hunter2", api_key="abc").id]
    if what == "chain":
        result = chain(add.s(1, 2), add.s(10)).apply_async()
        return [result.parent.id, result.id]
    if what == "group":
        return [child.id for child in group(add.s(n, n) for n in range(3)).apply_async().children]
    if what == "parked":
        return [add.apply_async((n, n), queue="parked").id for n in range(3)]
    raise SystemExit(f"unknown: {what}")


if __name__ == "__main__":
    print(" ".join(send(sys.argv[1])))
