"""Tests of the Kubernetes manifests: schemas, references between files, agreement with the service. No cluster runs."""

import functools
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


def relative_name(path):
    return path.relative_to(K8S).as_posix()


def parse_manifests(text):
    return [one for one in yaml.safe_load_all(text) if one]


def validate(manifest):
    """Validate against the schemas of the oldest and the newest supported release; unknown fields are errors."""
    for release in (OLDEST, NEWEST):
        kubernetes_validate.validate(manifest, release, strict=True)


def strategic_merge(base, patch):
    """Merge a patch into a manifest; list items with a `name` are merged by name, other values are replaced."""
    if isinstance(base, dict) and isinstance(patch, dict):
        return base | {key: strategic_merge(base.get(key), value) for key, value in patch.items()}
    if isinstance(base, list) and all(isinstance(one, dict) and "name" in one for one in [*base, *patch]):
        by_name = {one["name"]: one for one in base}
        return list((by_name | {one["name"]: strategic_merge(by_name.get(one["name"]), one) for one in patch}).values())
    return patch


def container_names(manifest):
    return [one["name"] for one in manifest["spec"]["template"]["spec"]["containers"]]


@pytest.fixture
def deployment():
    (manifests,) = parse_manifests((K8S / "base" / "deployment.yaml").read_text())
    return manifests


@pytest.fixture
def pod(deployment):
    return deployment["spec"]["template"]["spec"]


@pytest.fixture
def container(pod):
    (manifests,) = pod["containers"]
    return manifests


def variables(container):
    return {variable["name"]: variable["value"] for variable in container["env"]}


@pytest.mark.parametrize("path", MANIFESTS, ids=relative_name)
def test_manifest_matches_the_kubernetes_schema(path):
    """Each manifest is valid without an overlay."""
    manifests = parse_manifests(path.read_text())

    assert manifests
    for manifest in manifests:
        validate(manifest)


@pytest.mark.parametrize("path", KUSTOMIZATIONS, ids=relative_name)
def test_files_of_a_kustomization_exist(path):
    """Resources, components (including commented ones) and files exist."""
    text = re.sub(r"^# (?=components:)", "", path.read_text(), flags=re.M)
    kustomization = yaml.safe_load(text)
    named = [*kustomization.get("resources", ()), *kustomization.get("components", ())]
    named += [file for generator in kustomization.get("configMapGenerator", ()) for file in generator["files"]]

    assert all((path.parent / name).exists() for name in named)


@pytest.mark.parametrize("path", KUSTOMIZATIONS, ids=relative_name)
def test_patch_targets_the_base_deployment(path, deployment):
    """A patch for another name would fail in a cluster; an unknown container name would start a second container.

    Patches are applied to the base as Kubernetes does, and the result is validated.
    """
    for entry in yaml.safe_load(path.read_text()).get("patches", ()):
        patch = yaml.safe_load(entry["patch"])
        target = entry.get("target") or {"kind": patch["kind"], "name": patch["metadata"]["name"]}

        assert target == {"kind": "Deployment", "name": deployment["metadata"]["name"]}
        if isinstance(patch, dict):
            patched = strategic_merge(deployment, patch)
            validate(patched)
            assert container_names(patched) == container_names(deployment)
        else:
            for operation in patch:
                assert operation["op"] == "remove"
                *parents, last = operation["path"].strip("/").split("/")
                assert last in functools.reduce(dict.__getitem__, parents, deployment)


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl here")
@pytest.mark.parametrize("components", [False, True], ids=["plain", "with components"])
@pytest.mark.parametrize("overlay", ["cpu", "gpu"])
def test_overlay_renders(overlay, components, tmp_path):
    """The rendered overlay is complete and valid."""
    shutil.copytree(K8S, tmp_path / "k8s")
    file = tmp_path / "k8s" / "overlays" / overlay / "kustomization.yaml"
    if components:
        file.write_text(file.read_text().replace("# components:", "components:"))

    done = subprocess.run(["kubectl", "kustomize", str(file.parent)], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    manifests = {one["kind"]: one for one in parse_manifests(done.stdout)}
    for manifest in manifests.values():
        validate(manifest)
    (container,) = manifests["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert container["image"] == f"docextract:{overlay}"
    assert variables(container)["DOCEXTRACT_DEVICE"] == {"cpu": "cpu", "gpu": "cuda"}[overlay]
    assert ("nvidia.com/gpu" in container["resources"]["limits"]) == (overlay == "gpu")
    assert ("HorizontalPodAutoscaler" in manifests) == components
    assert ("replicas" in manifests["Deployment"]["spec"]) != components
    assert ("DOCEXTRACT_MODELS_DIR" in variables(container)) == components


def test_variables_and_file_are_settings(container):
    """Environment variables and settings file have only known settings."""
    names = {name.removeprefix("DOCEXTRACT_").lower() for name in variables(container) if "DOCEXTRACT_" in name}
    file = tomllib.loads((K8S / "base" / "docextract.toml").read_text())

    assert names - {"config"} <= Settings.model_fields.keys()
    assert Settings(**file).open_metrics


def test_memory_does_not_grow_with_the_cores_of_the_node(monkeypatch, container):
    """The memory limit is for one extraction worker."""
    monkeypatch.setattr("docextract.settings._core_count", lambda: 64)
    file = tomllib.loads((K8S / "base" / "docextract.toml").read_text())

    assert container["resources"]["limits"] == {"memory": "4Gi"}
    assert Settings(**file).extraction_workers == 1


def test_paths_of_the_settings_are_mounted(container):
    """The settings file, the key file and a writable /tmp are mounted."""
    mounts = {mount["mountPath"]: mount.get("readOnly", False) for mount in container["volumeMounts"]}
    file = tomllib.loads((K8S / "base" / "docextract.toml").read_text())

    assert mounts[str(Path(variables(container)["DOCEXTRACT_CONFIG"]).parent)] is True
    assert mounts[str(Path(file["api_keys_file"]).parent)] is True
    assert mounts["/tmp"] is False


def test_pod_is_drained_before_it_is_stopped(pod, container):
    """It becomes unready, waits until no new requests arrive, and then has time to finish."""
    (command,) = (part for part in container["lifecycle"]["preStop"]["exec"]["command"] if "sleep" in part)
    drain = variables(container)["DOCEXTRACT_DRAIN_FILE"]
    pause_s = int(command.rpartition(" ")[2])
    readiness_probe = container["readinessProbe"]

    assert command.startswith(f"touch {drain} ")
    assert drain in container["lifecycle"]["postStart"]["exec"]["command"]  # /tmp survives a container restart
    assert (
        pause_s
        >= readiness_probe["periodSeconds"] * readiness_probe["failureThreshold"] + readiness_probe["timeoutSeconds"]
    )
    assert pod["terminationGracePeriodSeconds"] > pause_s + Settings().timeout_s


def test_probes_use_the_right_endpoints(container):
    """Ready means that both models are loaded; alive means that the front answers."""
    paths = {name: container[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "readiness", "liveness")}

    assert paths == {"startup": "/readyz", "readiness": "/readyz", "liveness": "/livez"}
    assert all(
        container[f"{name}Probe"]["timeoutSeconds"] > Settings().ready_timeout_s for name in ("startup", "readiness")
    )


def test_pod_is_restricted(pod, container):
    """It meets the `restricted` profile, with a read-only root and without access to the cluster's API."""
    security_context = container["securityContext"]

    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["runAsUser"] == 1034  # the user of the Dockerfile
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert security_context == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
    }  # fmt: skip
    assert pod["automountServiceAccountToken"] is False


def test_only_the_http_port_is_reachable(container):
    """Runners accept pickled objects: anyone who can connect to one can run code."""
    (policy,) = parse_manifests((K8S / "base" / "network.yaml").read_text())
    (port,) = container["ports"]

    assert set(policy["spec"]["policyTypes"]) == {"Ingress", "Egress"}
    assert [one["port"] for rule in policy["spec"]["ingress"] for one in rule["ports"]] == [port["name"]]
    assert policy["spec"]["egress"] == []


def test_autoscaler_uses_a_metric_of_the_service():
    """The adapter's rule defines the metric of the autoscaler, from a series that the service has."""
    text = (K8S / "autoscaling" / "kustomization.yaml").read_text()
    (autoscaler,) = parse_manifests((K8S / "autoscaling" / "autoscaler.yaml").read_text())
    (rule,) = yaml.safe_load("\n".join(line[4:] for line in text.splitlines() if line.startswith("#   ")))
    (metric,) = autoscaler["spec"]["metrics"]

    assert metric["pods"]["metric"]["name"] == rule["name"]["as"]
    series = rule["seriesQuery"].partition("{")[0].removesuffix("_sum")
    assert f"`{series}`" in (ROOT / "docs" / "deployment.md").read_text()
