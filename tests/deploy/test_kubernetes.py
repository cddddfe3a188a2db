"""The manifests are what Kubernetes takes, and say of the service what is true of it. No cluster runs them here."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from docextract.settings import Settings

ROOT = Path(__file__).parents[2]
K8S = ROOT / "deploy" / "k8s"
MANIFESTS = sorted(path for path in K8S.rglob("*.yaml") if path.name != "kustomization.yaml")
KUSTOMIZATIONS = sorted(K8S.rglob("kustomization.yaml"))
OLDEST, NEWEST = "1.31", "1.35"


def name_of(path):
    return path.relative_to(K8S).as_posix()


def documents(text):
    return [one for one in yaml.safe_load_all(text) if one]


def validate(manifest):
    """Against the schemas of the oldest and the newest release that we say it runs on; unknown fields are errors."""
    for release in (OLDEST, NEWEST):
        kubernetes_validate.validate(manifest, release, strict=True)


@pytest.fixture
def deployment():
    (found,) = documents((K8S / "base" / "deployment.yaml").read_text())
    return found


@pytest.fixture
def pod(deployment):
    return deployment["spec"]["template"]["spec"]


@pytest.fixture
def container(pod):
    (found,) = pod["containers"]
    return found


def variables(container):
    return {variable["name"]: variable["value"] for variable in container["env"]}


@pytest.mark.parametrize("path", MANIFESTS, ids=name_of)
def test_kubernetes_takes_the_manifest(path):
    """As it stands, before any overlay."""
    found = documents(path.read_text())

    assert found
    for manifest in found:
        validate(manifest)


@pytest.mark.parametrize("path", KUSTOMIZATIONS, ids=name_of)
def test_what_a_kustomization_names_is_there(path):
    """Resources, components (also those that are commented out) and files."""
    text = re.sub(r"^# (?=components:)", "", path.read_text(), flags=re.M)
    whole = yaml.safe_load(text)
    named = [*whole.get("resources", ()), *whole.get("components", ())]
    named += [file for generator in whole.get("configMapGenerator", ()) for file in generator["files"]]

    assert all((path.parent / name).exists() for name in named)


@pytest.mark.parametrize("path", KUSTOMIZATIONS, ids=name_of)
def test_a_patch_changes_what_the_base_has(path, deployment, container):
    """One with another name would be an error in a cluster; another container would be started beside ours."""
    for entry in yaml.safe_load(path.read_text()).get("patches", ()):
        patch = yaml.safe_load(entry["patch"])
        target = entry.get("target") or {"kind": patch["kind"], "name": patch["metadata"]["name"]}

        assert target == {"kind": "Deployment", "name": deployment["metadata"]["name"]}
        if isinstance(patch, dict):
            validate({**patch, "spec": deployment["spec"]})
            names = [one["name"] for one in patch["spec"]["template"]["spec"]["containers"]]
            assert names == [container["name"]]


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl here")
@pytest.mark.parametrize("components", [False, True], ids=["plain", "with components"])
@pytest.mark.parametrize("overlay", ["cpu", "gpu"])
def test_an_overlay_is_put_together(overlay, components, tmp_path):
    """All of it, as `kubectl apply -k` would send it."""
    shutil.copytree(K8S, tmp_path / "k8s")
    file = tmp_path / "k8s" / "overlays" / overlay / "kustomization.yaml"
    if components:
        file.write_text(file.read_text().replace("# components:", "components:"))

    done = subprocess.run(["kubectl", "kustomize", str(file.parent)], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    found = {one["kind"]: one for one in documents(done.stdout)}
    for manifest in found.values():
        validate(manifest)
    (container,) = found["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert container["image"] == f"docextract:{overlay}"
    assert variables(container)["DOCEXTRACT_DEVICE"] == {"cpu": "cpu", "gpu": "cuda"}[overlay]
    assert ("nvidia.com/gpu" in container["resources"]["limits"]) == (overlay == "gpu")
    assert ("HorizontalPodAutoscaler" in found) == components
    assert ("replicas" in found["Deployment"]["spec"]) != components
    assert ("DOCEXTRACT_MODELS_DIR" in variables(container)) == components


def test_what_is_set_is_a_setting(container):
    """In the environment and in the file."""
    names = {name.removeprefix("DOCEXTRACT_").lower() for name in variables(container) if "DOCEXTRACT_" in name}
    file = tomllib.loads((K8S / "base" / "docextract.toml").read_text())

    assert names - {"config"} <= Settings.model_fields.keys()
    assert Settings(**file).open_metrics


def test_what_the_settings_name_is_mounted(container):
    """The file of settings, the keys, and a /tmp that can be written."""
    mounts = {mount["mountPath"]: mount.get("readOnly", False) for mount in container["volumeMounts"]}
    file = tomllib.loads((K8S / "base" / "docextract.toml").read_text())

    assert mounts[str(Path(variables(container)["DOCEXTRACT_CONFIG"]).parent)] is True
    assert mounts[str(Path(file["api_keys_file"]).parent)] is True
    assert mounts["/tmp"] is False


def test_a_pod_is_drained_before_it_is_stopped(pod, container):
    """It says that it is not ready, waits until nobody asks any more, and may then finish what it has begun."""
    (command,) = (part for part in container["lifecycle"]["preStop"]["exec"]["command"] if "sleep" in part)
    drain = variables(container)["DOCEXTRACT_DRAIN_FILE"]
    pause_s = int(command.rpartition(" ")[2])
    notice = container["readinessProbe"]

    assert command.startswith(f"touch {drain} ")
    assert drain in container["lifecycle"]["postStart"]["exec"]["command"]  # /tmp outlives a container of the pod
    assert pause_s >= notice["periodSeconds"] * notice["failureThreshold"] + notice["timeoutSeconds"]
    assert pod["terminationGracePeriodSeconds"] > pause_s + Settings().timeout_s


def test_probes_ask_what_they_should(container):
    """Ready is when both models are; alive is a front that answers."""
    paths = {name: container[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "readiness", "liveness")}

    assert paths == {"startup": "/readyz", "readiness": "/readyz", "liveness": "/livez"}
    assert all(
        container[f"{name}Probe"]["timeoutSeconds"] > Settings().ready_timeout_s for name in ("startup", "readiness")
    )


def test_a_pod_has_no_rights_that_it_does_not_need(pod, container):
    """What Kubernetes calls `restricted`, a root that cannot be written, and no account in the cluster."""
    rights = container["securityContext"]

    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["runAsUser"] == 1034  # the Dockerfile's
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert rights == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
    }  # fmt: skip
    assert pod["automountServiceAccountToken"] is False


def test_nothing_but_the_http_port_can_be_reached(container):
    """Runners speak pickle: who reaches one can run what he likes."""
    (policy,) = documents((K8S / "base" / "network.yaml").read_text())
    (port,) = container["ports"]

    assert set(policy["spec"]["policyTypes"]) == {"Ingress", "Egress"}
    assert [one["port"] for rule in policy["spec"]["ingress"] for one in rule["ports"]] == [port["name"]]
    assert policy["spec"]["egress"] == []


def test_pods_are_counted_by_a_metric_that_the_service_has():
    """The autoscaler's name is given by the adapter's rule, and the rule's series is one of ours."""
    text = (K8S / "autoscaling" / "kustomization.yaml").read_text()
    (autoscaler,) = documents((K8S / "autoscaling" / "autoscaler.yaml").read_text())
    (rule,) = yaml.safe_load("\n".join(line[4:] for line in text.splitlines() if line.startswith("#   ")))
    (metric,) = autoscaler["spec"]["metrics"]

    assert metric["pods"]["metric"]["name"] == rule["name"]["as"]
    series = rule["seriesQuery"].partition("{")[0].removesuffix("_sum")
    assert f"`{series}`" in (ROOT / "docs" / "deployment.md").read_text()
