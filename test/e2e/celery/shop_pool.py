"""A pool of one's own, for `celery worker -P custom`."""
from celery.concurrency.thread import TaskPool as ThreadPool


class TaskPool(ThreadPool):
    pass
