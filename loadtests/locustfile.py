"""Locust users that send good, bad and broken photos to both operations and check the answers.

    locust -f loadtests/locustfile.py --host http://127.0.0.1:3000      # its web page is on http://127.0.0.1:8089

The pictures come from the folder LOADTEST_PICTURES; loadtests/steps.py creates it. A user sends its next request at
once, or after Retry-After if it was refused. These answers count as failures: a body of another form, a refusal
without Retry-After, an error without a code, a broken picture that is not refused.
"""

import os
import random
from pathlib import Path

import gevent
from locust import HttpUser, constant, task

PICTURES_FOLDER = Path(os.environ.get("LOADTEST_PICTURES", "build/loadtest/pictures"))
REFUSED_STATUSES = (429, 503)
MAX_PAUSE_S = 5.0


def load_pictures(kind):
    """Load the pictures of one kind: good, bad or broken."""
    found = [path.read_bytes() for path in sorted((PICTURES_FOLDER / kind).iterdir())]
    if not found:
        raise FileNotFoundError(f"{PICTURES_FOLDER / kind} is empty; `make loadtest` fills it")
    return found


GOOD, BAD, BROKEN = (load_pictures(kind) for kind in ("good", "bad", "broken"))


class DocumentUser(HttpUser):
    """A user that sends one request after another."""

    wait_time = constant(0)

    def on_start(self):
        self.rng = random.Random(id(self))

    @task(6)
    def extract_a_good_photo(self):
        self.send("extraction", GOOD, self.is_extraction_answer)

    @task(1)
    def extract_a_bad_photo(self):
        self.send("extraction", BAD, self.is_extraction_answer)

    @task(4)
    def validate_a_good_photo(self):
        self.send("validation", GOOD, self.is_validation_answer)

    @task(2)
    def validate_a_bad_photo(self):
        self.send("validation", BAD, self.is_validation_answer)

    @task(1)
    def extract_a_broken_file(self):
        self.send("extraction", BROKEN, None)

    @task(1)
    def validate_a_broken_file(self):
        self.send("validation", BROKEN, None)

    def send(self, operation, pictures, is_correct_body):
        """Send one request.

        is_correct_body: checks the answer's body; None if the request must be refused as undecodable.
        """
        name = f"/{operation}" if is_correct_body else f"/{operation}, broken"
        options = {"headers": {"Content-Type": "image/jpeg"}, "name": name, "catch_response": True}
        pause_s = 0.0
        with self.client.post(f"/v1/{operation}", data=self.rng.choice(pictures), **options) as response:
            if response.status_code in REFUSED_STATUSES and response.headers.get("Retry-After", "").isdigit():
                pause_s = min(MAX_PAUSE_S, float(response.headers["Retry-After"]))
                response.request_meta["name"] = f"/{operation}, refused"
                response.success()
            elif not self.is_correct(response, is_correct_body):
                response.failure(f"{response.status_code} {response.text[:80]!r}")
            else:
                response.success()
        gevent.sleep(pause_s)

    def is_correct(self, response, is_correct_body):
        """Return True if the answer is correct for what was sent."""
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        if is_correct_body is None:
            problem = kind == "application/problem+json" and response.json()
            return response.status_code == 422 and bool(problem) and problem["code"] == "image_undecodable"
        return response.status_code == 200 and kind == "application/json" and is_correct_body(response.json())

    @staticmethod
    def is_extraction_answer(body):
        (document,) = body["documents"]
        fields = document["fields"].values()
        return document["images"] == [0] and body["verdict"]["images"] and all("type" in field for field in fields)

    @staticmethod
    def is_validation_answer(body):
        (image,) = body["images"]
        return isinstance(body["accepted"], bool) and 0 <= image["score"] <= 1 and len(image["criteria"]) > 0
