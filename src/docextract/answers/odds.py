"""Log odds of confidences, in which evidence is added."""

import math

_MIN_CONFIDENCE = 1e-3  # and as much below 1
_MAX_LOG_ODDS = 7.0  # a confidence of 0.999


def log_odds(confidence: float) -> float:
    """Return the log odds of a confidence, 0..1, in nats; those of 0 and 1 are bounded."""
    bounded = min(max(confidence, _MIN_CONFIDENCE), 1 - _MIN_CONFIDENCE)
    return math.log(bounded / (1 - bounded))


def confidence_of(log_odds: float) -> float:
    """Return the confidence with these log odds, at most 0.999."""
    return 1 / (1 + math.exp(-min(log_odds, _MAX_LOG_ODDS)))
