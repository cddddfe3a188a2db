"""Tests of the Compose files: mounted files exist, and variables are settings. No container engine runs them."""

from pathlib import Path

import pytest
import yaml

from docextract.settings import Settings

DEPLOY = Path(__file__).parents[2] / "deploy"
FILES = ("compose.yaml", "gpu/compose.yaml")
KEYS = "./keys"  # the operator creates it


def services(file):
    """Return the services of a file, merged with what they extend; paths are relative to `deploy`."""
    services_by_name = {}
    for name, service in yaml.safe_load((DEPLOY / file).read_text())["services"].items():
        extends = service.pop("extends", None)
        base_settings = (
            services((Path(file).parent / extends["file"]).as_posix())[extends["service"]] if extends else {}
        )
        services_by_name[name] = (
            base_settings
            | service
            | {"environment": base_settings.get("environment", {}) | service.get("environment", {})}
        )
    return services_by_name


@pytest.mark.parametrize("file", FILES)
def test_mounted_files_exist(file):
    """Prometheus gets its rules, and Grafana its dashboard."""
    volumes = [volume for service in services(file).values() for volume in service.get("volumes", ())]
    mounted = [source for source, *_ in (volume.split(":") for volume in volumes) if source.startswith(".")]

    assert mounted
    assert all((DEPLOY / source).is_file() for source in mounted if source != KEYS)


@pytest.mark.parametrize("file", FILES)
def test_folder_of_the_key_file_is_mounted(file):
    """Editors replace a file, so a mounted file would keep revoked keys. Git ignores the folder."""
    service = services(file)["docextract"]
    folder, name = service["environment"]["DOCEXTRACT_API_KEYS_FILE"].rsplit("/", 1)

    assert service["volumes"] == [f"{KEYS}:{folder}:ro"]
    assert name == "keys.toml"
    assert "/deploy/keys/" in (DEPLOY.parent / ".gitignore").read_text().splitlines()


@pytest.mark.parametrize("file", FILES)
def test_variables_are_settings(file):
    """An unknown variable would have no effect."""
    names = {name.removeprefix("DOCEXTRACT_").lower() for name in services(file)["docextract"]["environment"]}

    assert names <= Settings.model_fields.keys()


@pytest.mark.parametrize("file", FILES)
def test_container_is_restricted(file):
    """Only /tmp is writable, privileges cannot grow, memory is limited, and there is time to finish."""
    service = services(file)["docextract"]

    assert service["read_only"]
    assert service["tmpfs"][0].startswith("/tmp:size=")
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["deploy"]["resources"]["limits"]["memory"]
    assert service["restart"] == "unless-stopped"
    assert int(service["stop_grace_period"].removesuffix("s")) > Settings().timeout_s
    assert all(port.startswith("127.0.0.1:") for one in services(file).values() for port in one.get("ports", ()))


@pytest.mark.parametrize("file", FILES)
def test_memory_does_not_grow_with_the_cores_of_the_machine(file):
    """The memory limit is for one extraction worker; the default counts cores."""
    assert services(file)["docextract"]["environment"]["DOCEXTRACT_EXTRACTION_WORKERS"] == "1"


def test_gpu_file_reserves_one_gpu():
    """Nothing else differs from the file without a GPU."""
    plain, gpu = (services(file)["docextract"] for file in FILES)

    (device,) = gpu["deploy"]["resources"]["reservations"]["devices"]
    assert device == {"driver": "nvidia", "count": 1, "capabilities": ["gpu"]}
    assert {name for name in gpu if gpu[name] != plain.get(name)} == {"image", "environment", "deploy"}


@pytest.mark.parametrize("file", FILES)
def test_networks_and_volumes_are_declared(file):
    """Each is declared and used."""
    parsed = yaml.safe_load((DEPLOY / file).read_text())
    used = {name for service in services(file).values() for name in service["networks"]}

    assert used == parsed["networks"].keys()
    assert parsed["volumes"].keys() == {"prometheus", "grafana"}


def test_grafana_reports_and_asks_nothing():
    environment = services(FILES[0])["grafana"]["environment"]

    assert environment == dict.fromkeys(
        (
            "GF_ANALYTICS_REPORTING_ENABLED", "GF_ANALYTICS_CHECK_FOR_UPDATES", "GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES",
            "GF_NEWS_NEWS_FEED_ENABLED",
        ),
        "false",
    )  # fmt: skip
