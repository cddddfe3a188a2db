"""Users who send photos as people do: good ones, bad ones and broken ones, to both operations, and read the answers.

    locust -f loadtests/locustfile.py --host http://127.0.0.1:3000      # with its page on http://127.0.0.1:8089

The pictures come from the folder that LOADTEST_PICTURES names; loadtests/steps.py makes it. A user asks without a
pause, and after a refusal comes back when Retry-After says. What is answered wrongly counts as failed: a body of
another form, a refusal without Retry-After, an error without a code, a broken picture that is read.
"""

import os
import random
from pathlib import Path

import gevent
from locust import HttpUser, constant, task

PICTURES = Path(os.environ.get("LOADTEST_PICTURES", "build/loadtest/pictures"))
REFUSED = (429, 503)
LONGEST_PAUSE_S = 5.0


def load(kind):
    """The pictures of a kind: good, bad or broken."""
    found = [path.read_bytes() for path in sorted((PICTURES / kind).iterdir())]
    if not found:
        raise FileNotFoundError(f"there is nothing in {PICTURES / kind}; `make loadtest` makes it")
    return found


GOOD, BAD, BROKEN = (load(kind) for kind in ("good", "bad", "broken"))


class Sender(HttpUser):
    """One of many."""

    wait_time = constant(0)

    def on_start(self):
        self.dice = random.Random(id(self))

    @task(6)
    def extract_a_good_photo(self):
        self.send("extraction", GOOD, self.is_extraction)

    @task(1)
    def extract_a_bad_photo(self):
        self.send("extraction", BAD, self.is_extraction)

    @task(4)
    def validate_a_good_photo(self):
        self.send("validation", GOOD, self.is_verdict)

    @task(2)
    def validate_a_bad_photo(self):
        self.send("validation", BAD, self.is_verdict)

    @task(1)
    def extract_a_broken_file(self):
        self.send("extraction", BROKEN, None)

    @task(1)
    def validate_a_broken_file(self):
        self.send("validation", BROKEN, None)

    def send(self, operation, pictures, is_right):
        """One request. is_right: of its answer; None where it must be refused as undecodable."""
        name = f"/{operation}" if is_right else f"/{operation}, broken"
        options = {"headers": {"Content-Type": "image/jpeg"}, "name": name, "catch_response": True}
        pause_s = 0.0
        with self.client.post(f"/v1/{operation}", data=self.dice.choice(pictures), **options) as response:
            if response.status_code in REFUSED and response.headers.get("Retry-After", "").isdigit():
                pause_s = min(LONGEST_PAUSE_S, float(response.headers["Retry-After"]))
                response.request_meta["name"] = f"/{operation}, refused"
                response.success()
            elif not self.is_as_it_should_be(response, is_right):
                response.failure(f"{response.status_code} {response.text[:80]!r}")
            else:
                response.success()
        gevent.sleep(pause_s)

    def is_as_it_should_be(self, response, is_right):
        """The right type of answer for what was sent."""
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        if is_right is None:
            problem = kind == "application/problem+json" and response.json()
            return response.status_code == 422 and bool(problem) and problem["code"] == "image_undecodable"
        return response.status_code == 200 and kind == "application/json" and is_right(response.json())

    @staticmethod
    def is_extraction(body):
        (document,) = body["documents"]
        fields = document["fields"].values()
        return document["images"] == [0] and body["validation"]["images"] and all("type" in field for field in fields)

    @staticmethod
    def is_verdict(body):
        (image,) = body["images"]
        return isinstance(body["accepted"], bool) and 0 <= image["score"] <= 1 and len(image["criteria"]) > 0
