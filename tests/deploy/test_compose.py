"""The compose files hold together: what they mount exists, what they set is a setting. No engine runs them here."""

from pathlib import Path

import pytest
import yaml

from docextract.settings import Settings

DEPLOY = Path(__file__).parents[2] / "deploy"
FILES = ("compose.yaml", "gpu/compose.yaml")


def services(file):
    """Each service of a file, what it extends put below it as Compose does; relative paths from `deploy`."""
    found = {}
    for name, service in yaml.safe_load((DEPLOY / file).read_text())["services"].items():
        base = service.pop("extends", None)
        below = services((Path(file).parent / base["file"]).as_posix())[base["service"]] if base else {}
        found[name] = below | service | {"environment": below.get("environment", {}) | service.get("environment", {})}
    return found


@pytest.mark.parametrize("file", FILES)
def test_everything_mounted_is_there(file):
    """Prometheus gets its rules, Grafana its dashboard."""
    volumes = [volume for service in services(file).values() for volume in service.get("volumes", ())]
    mounted = [source for source, *_ in (volume.split(":") for volume in volumes) if source.startswith(".")]

    assert mounted
    assert all((DEPLOY / source).is_file() for source in mounted)


@pytest.mark.parametrize("file", FILES)
def test_what_is_set_is_a_setting(file):
    """A name that no one reads would be believed and do nothing."""
    names = {name.removeprefix("DOCEXTRACT_").lower() for name in services(file)["docextract"]["environment"]}

    assert names <= Settings.model_fields.keys()


@pytest.mark.parametrize("file", FILES)
def test_the_service_is_shut_in(file):
    """Nothing can be written but /tmp, no right is gained, memory is bounded, and it is given time to finish."""
    service = services(file)["docextract"]

    assert service["read_only"]
    assert service["tmpfs"][0].startswith("/tmp:size=")
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["deploy"]["resources"]["limits"]["memory"]
    assert service["restart"] == "unless-stopped"
    assert int(service["stop_grace_period"].removesuffix("s")) > Settings().timeout_s
    assert all(port.startswith("127.0.0.1:") for one in services(file).values() for port in one.get("ports", ()))


def test_with_a_gpu_one_is_reserved():
    """And nothing else is another than without."""
    plain, gpu = (services(file)["docextract"] for file in FILES)

    (device,) = gpu["deploy"]["resources"]["reservations"]["devices"]
    assert device == {"driver": "nvidia", "count": 1, "capabilities": ["gpu"]}
    assert {name for name in gpu if gpu[name] != plain.get(name)} == {"image", "environment", "deploy"}


@pytest.mark.parametrize("file", FILES)
def test_what_is_used_is_declared(file):
    """Networks, volumes and secrets; the keys are never committed."""
    whole = yaml.safe_load((DEPLOY / file).read_text())
    used = [name for service in services(file).values() for name in (*service["networks"], *service.get("secrets", ()))]

    assert set(used) == whole["networks"].keys() | whole["secrets"].keys()
    assert whole["volumes"].keys() == {"prometheus", "grafana"}
    assert "/deploy/keys.toml" in (DEPLOY.parent / ".gitignore").read_text().splitlines()
