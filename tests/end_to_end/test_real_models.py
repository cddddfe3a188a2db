"""The service with tiny networks with random weights: their real outputs pass through all processes."""

import io
import json
from datetime import date

import pytest
import torch
from PIL import Image, ImageDraw, ImageFont
from safetensors.torch import save_file

from docextract.extraction.layout.network import LayoutTransformer
from docextract.quality import assessor
from docextract.quality.criteria import DOCUMENT_ABSENT
from docextract.quality.network import QualityNetwork
from docextract.registry import promote
from tests.extraction.conftest import TINY as TINY_EXTRACTION
from tests.quality.conftest import TINY as TINY_QUALITY

pytestmark = pytest.mark.processes

PRINT = ["CORNER BAKERY SDN BHD", "12 HIGH STREET", "25/12/2018 10:30", "BREAD 4.50", "TOTAL RM 9.00", "THANK YOU"]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Both networks, small and untrained, promoted like trained ones."""
    folder = tmp_path_factory.mktemp("tiny")
    torch.manual_seed(0)
    quality_network = QualityNetwork(TINY_QUALITY)
    # An untrained network would detect a wrong polygon, so it is calibrated to detect none.
    assessor.save_weights(
        folder / "quality", quality_network, {DOCUMENT_ABSENT: assessor.PlattScaling(scale=0.0, shift=-9.0)}
    )
    layout_network = LayoutTransformer(TINY_EXTRACTION)
    (folder / "extraction").mkdir()
    weights = {name: value.half().contiguous() for name, value in layout_network.state_dict().items()}
    save_file(weights, folder / "extraction" / "model.safetensors")
    (folder / "extraction" / "config.json").write_text(json.dumps({"shape": layout_network.shape.to_json()}))
    for name in ("quality", "extraction"):
        promote(name, folder / name, "0.0.1", folder / "models", day=date(2026, 1, 1))
    return folder / "models"


def photo() -> bytes:
    picture = Image.new("RGB", (700, 900), (90, 80, 70))
    pen = ImageDraw.Draw(picture)
    pen.rectangle((80, 60, 620, 840), fill="white")
    for number, line in enumerate(PRINT):
        pen.text((110, 100 + 90 * number), line, "black", ImageFont.load_default(34))
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=90)
    return out.getvalue()


@pytest.mark.slow
def test_real_networks_answer_through_all_processes(start_server, models):
    """A photo passes through decoding and both networks, and its text is recognised."""
    with start_server(models=models) as server:
        server.wait_until("/readyz", 200)
        form = {"document_type": "receipt", "include": "lines,polygons,crops", "validation": "warn"}
        response = server.client.post("/extraction", files={"images": photo()}, data=form)
        body = response.json()

        assert response.status_code == 200, body
        (document,) = body["documents"]
        assert not body["verdict"]["images"][0]["document"]["detected"]
        read = " ".join(line["text"] for line in document["lines"])
        assert "BAKERY" in read.upper()
        assert server.client.get("/v1/models").json()["models"][0]["version"] == "0.0.1"
