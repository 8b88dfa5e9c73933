"""Threads that work is given to: results in order, errors where a result is asked for, and nothing begun after an error."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from contextlib import suppress
from functools import partial

import pytest

from rankwell.tables.machine import Workers, at_most, in_order, on_all_cores


def slow(seconds, value):
    time.sleep(seconds)
    return value


def test_results_come_in_the_order_of_the_jobs_and_few_are_begun_at_a_time():
    begun = []

    def jobs():
        for number in range(20):
            begun.append(number)
            yield partial(slow, 0.002 * (number % 3), number)

    with Workers(2) as workers:
        for place, result in enumerate(in_order(workers, 2, jobs())):
            assert result == place
            assert len(begun) <= place + 5
    assert len(begun) == 20


def test_no_more_threads_work_than_were_asked_for_and_none_is_left():
    before, seen = threading.active_count(), set()
    with Workers(3) as workers:
        jobs = [workers.submit(lambda: seen.add(threading.get_ident())) for _ in range(30)]
        assert [job.result() for job in jobs] == [None] * 30
    assert 1 <= len(seen) <= 3
    assert threading.active_count() == before


def test_an_error_is_raised_where_the_result_is_asked_for_and_what_was_not_begun_is_dropped():
    done = []

    def waits():
        slow(0.05, None)
        done.append(0)

    def work():
        with Workers(1) as workers:
            wrong = workers.submit(lambda: 1 // 0)
            for job in (waits, *(partial(done.append, number) for number in range(1, 20))):
                workers.submit(job)
            wrong.result()

    with pytest.raises(ZeroDivisionError):
        work()
    assert done in ([0], [])


def test_jobs_that_nobody_asks_about_are_done():
    done = []
    with Workers(2) as workers:
        for number in range(50):
            workers.submit(partial(done.append, number))
    assert sorted(done) == list(range(50))


@pytest.mark.parametrize("values", [[], [7], range(40)])
def test_a_function_of_each_value_on_all_cores_gives_what_a_loop_gives(values):
    assert on_all_cores(lambda number: (slow(0.001 * (number % 3), number), -number), values) == [
        (number, -number) for number in values
    ]


def test_no_more_cores_are_used_than_are_allowed_and_the_first_error_is_raised():
    seen = set()
    with at_most(1):
        on_all_cores(lambda _: seen.add(threading.get_ident()), range(20))
    assert len(seen) == 1
    with pytest.raises(ZeroDivisionError):
        on_all_cores(lambda number: 1 // number, [2, 1, 0, 3])


class Held:
    """Something that is held as long as somebody refers to it."""


def test_neither_results_nor_errors_keep_what_they_were_made_of():
    def fails(held):
        raise ValueError(str(held)[:4])

    kept = []
    gc.disable()
    try:
        with Workers(1) as workers:
            for call in (lambda held: held, fails):
                held = Held()
                kept.append(weakref.ref(held))
                job = workers.submit(partial(call, held))
                with suppress(ValueError):
                    job.result()
                del job, held
        assert [each() for each in kept] == [None, None]
    finally:
        gc.enable()
