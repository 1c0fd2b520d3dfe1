"""celery-beat with schedules of the configuration, and the published agent: `celery -A static_beat beat`."""
from celery.signals import beat_init
from z4j_bare import install_agent
from z4j_celerybeat import CeleryBeatSchedulerAdapter

from shop import app

app.conf.beat_schedule = {
    "every second": {"task": "shop.add", "schedule": 1.0, "args": (1, 2)},
    "every night": {"task": "shop.add", "schedule": 86400.0, "args": (20,), "kwargs": {"b": 22}},
}


@beat_init.connect
def start_agent(**_):
    install_agent(engines=[], schedulers=[CeleryBeatSchedulerAdapter(celery_app=app)])
