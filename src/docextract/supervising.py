"""Nobody but its own process gives orders to BentoML's supervisor.

The supervisor (circus) starts and watches the other processes. It also listens on a port of 127.0.0.1 for commands,
`add` among them, which starts any program: whoever has a login on the machine could run what he likes as the service's
user. BentoML has no setting for it and no use of it; only its --reload, for those who work on the code, asks there.
"""

import os
from typing import Any

_RUNNER_MAP = "BENTOML_RUNNER_MAP"  # set for each process that the supervisor starts, and not for itself


def close_to_others() -> None:
    """In the process that is going to be the supervisor: no port is opened. In all others, do nothing."""
    if _RUNNER_MAP in os.environ:
        return
    from bentoml._internal.utils import circus  # late: 8 MB that the other processes do without

    plain = circus.create_standalone_arbiter

    def closed(*arguments: Any, **options: Any) -> Any:
        supervisor = plain(*arguments, **options)
        # ZeroMQ's way between the threads of one process. Nothing is bound before the supervisor starts.
        name = f"inproc://supervisor-{id(supervisor)}"
        supervisor.endpoint = supervisor.ctrl.endpoint = f"{name}-commands"
        supervisor.pubsub_endpoint = f"{name}-events"
        return supervisor

    circus.create_standalone_arbiter = closed
