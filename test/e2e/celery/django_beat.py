"""
celery-beat with the schedules of django-celery-beat in a SQLite file, and the published agent:
`celery -A django_beat beat`. `python -m django_beat prepare` creates the tables and two schedules;
`python -m django_beat show` prints the schedules' rows as JSON.
"""
import json
import os
import sys

import django
from celery.signals import beat_init
from django.conf import settings

settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["SHOP_DATABASE"]}},
    INSTALLED_APPS=["django_celery_beat"],
    USE_TZ=True,
    TIME_ZONE="UTC",
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
)
django.setup()

from shop import app  # noqa: E402

app.conf.update(
    beat_scheduler="django_celery_beat.schedulers:DatabaseScheduler",
    beat_max_loop_interval=1,
    beat_sync_every=1,
)


@beat_init.connect
def start_agent(**_):
    from z4j_bare import install_agent
    from z4j_celerybeat import CeleryBeatSchedulerAdapter

    install_agent(engines=[], schedulers=[CeleryBeatSchedulerAdapter(celery_app=app)])


def prepare():
    from django.core.management import call_command
    from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

    call_command("migrate", verbosity=0)
    second, _ = IntervalSchedule.objects.get_or_create(every=1, period=IntervalSchedule.SECONDS)
    night, _ = CrontabSchedule.objects.get_or_create(minute="30", hour="2", timezone="Europe/Berlin")
    PeriodicTask.objects.create(name="every second", task="shop.add", interval=second, args="[1, 2]")
    PeriodicTask.objects.create(name="every night", task="shop.add", crontab=night, args="[20]", kwargs='{"b": 22}')


def show():
    from django_celery_beat.models import PeriodicTask

    print(json.dumps(list(PeriodicTask.objects.order_by("id").values("id", "name", "enabled", "args", "total_run_count"))))


if __name__ == "__main__":
    {"prepare": prepare, "show": show}[sys.argv[1]]()
