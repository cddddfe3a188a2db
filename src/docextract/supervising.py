"""BentoML's supervisor as we want it: it starts again what has died, soon and everywhere, and takes orders from nobody.

The supervisor (circus) starts and watches the other processes. BentoML has it look every ten seconds, and in a
container start nothing again: there all ends with one runner, and requests are lost that could have been answered.

It also listens on a port of 127.0.0.1 for commands, `add` among them, which starts any program: whoever has a login on
the machine could run what he likes as the service's user. BentoML has no setting for it and no use of it; only its
--reload, for those who work on the code, asks there.
"""

import os
from collections.abc import Callable
from typing import Any

LOOK_EVERY_S = 2.0  # a model that cannot be loaded is tried this often
_RUNNER_MAP = "BENTOML_RUNNER_MAP"  # set for each process that the supervisor starts, and not for itself


def supervise() -> None:
    """In the process that is going to be the supervisor: have it made so. In all others, do nothing."""
    if _RUNNER_MAP in os.environ:
        return
    from bentoml._internal.utils import circus  # late: 8 MB that the other processes do without

    plain = circus.create_standalone_arbiter

    def ours(watchers: list[Any], **options: Any) -> Any:
        for watcher in watchers:
            watcher.respawn = True
        supervisor = plain(watchers, check_delay=LOOK_EVERY_S, **options)
        supervisor.manage_watchers = _unless_busy(supervisor.manage_watchers)
        _close_to_others(supervisor)
        return supervisor

    circus.create_standalone_arbiter = ours


def _unless_busy(manage: Callable[[], Any]) -> Callable[[], Any]:
    """While everything is loaded anew it looks in vain, and would say so each time."""
    from circus.exc import ConflictError  # type: ignore[import-untyped]

    def manage_or_wait() -> Any:
        try:
            return manage()
        except ConflictError:
            return None

    return manage_or_wait


def _close_to_others(supervisor: Any) -> None:
    """ZeroMQ's way between the threads of one process, instead of a port. Nothing is bound before it starts."""
    name = f"inproc://supervisor-{id(supervisor)}"
    supervisor.endpoint = supervisor.ctrl.endpoint = f"{name}-commands"
    supervisor.pubsub_endpoint = f"{name}-events"
