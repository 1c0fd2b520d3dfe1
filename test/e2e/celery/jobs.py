"""APScheduler with two jobs and the published agent. Each run of a job appends a line to the file SHOP_LOG."""
import os
import signal

from apscheduler.schedulers.background import BackgroundScheduler
from z4j_apscheduler import APSchedulerAdapter
from z4j_bare import install_agent


def note(line, times=1):
    with open(os.environ["SHOP_LOG"], "a") as log:
        log.write(f"{line} {times}\n")


if __name__ == "__main__":
    import jobs

    scheduler = BackgroundScheduler(timezone="UTC")
    scheduler.add_job(jobs.note, "interval", seconds=1, id="every second", name="every second", args=["second"])
    scheduler.add_job(jobs.note, "interval", days=1, id="every day", name="every day", args=["day"], kwargs={"times": 3})
    scheduler.start()
    install_agent(engines=[], schedulers=[APSchedulerAdapter(scheduler=scheduler, tasks={"jobs.note": jobs.note})])
    signal.sigwait([signal.SIGTERM])
