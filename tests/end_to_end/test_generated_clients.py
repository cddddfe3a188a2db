"""Clients that public generators make of the contract call the running service.

The generators are installed for the test; it is skipped where that is not possible.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTRACT, RECEIPT = ROOT / "docs" / "openapi.json", ROOT / "docs" / "images" / "receipt.jpg"
PYTHON_GENERATOR = "openapi-python-client==0.29.1"
NPM_PACKAGES = ("openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3")
EXPECTED = "receipt 88.26 GBP 2012-08-11"
WITHIN_S = 300

PYTHON = """
import io, sys
from pathlib import Path
from made import Client
from made.api.operations import extract
from made.models import Problem, ReceiptDocument
from made.types import File

with Client(base_url=sys.argv[1]) as client:
    answer = extract.sync(client=client, body=File(payload=io.BytesIO(Path(sys.argv[2]).read_bytes())))
    (document,) = answer.documents
    assert isinstance(document, ReceiptDocument), type(document)
    fields = document.fields
    print(document.type_, fields.total.value.amount, fields.total.value.currency, fields.document_date.value)
    problem = extract.sync(client=client, body=File(payload=io.BytesIO(b"no image")))
    assert isinstance(problem, Problem), type(problem)
    print(problem.code)
"""
TYPESCRIPT = """
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { paths } from "./contract";

const [address, picture] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: address });
const send = (content: string) =>
  client.POST("/v1/extraction", { body: { images: [{ content }] }, headers: { "Content-Type": "application/json" } });

const { data } = await send(readFileSync(picture).toString("base64"));
const document = data!.documents[0];
if (document.type !== "receipt") throw new Error(document.type);
const { total, document_date } = document.fields;  // typed: only receipts have come this far
console.log(document.type, total!.value.amount, total!.value.currency, document_date!.value);
const { error } = await send(Buffer.from("no image").toString("base64"));
console.log(error!.code);
"""
TSCONFIG = """
{"compilerOptions": {"target": "es2022", "module": "esnext", "moduleResolution": "bundler", "strict": true,
 "types": [], "skipLibCheck": true, "outDir": "out"}, "files": ["call.ts", "node.d.ts"]}
"""
NODE_TYPES = """
declare const process: { argv: string[] };
declare class Buffer { static from(text: string): Buffer; toString(encoding: string): string }
declare module "node:fs" { export function readFileSync(path: string): Buffer }
"""

pytestmark = [pytest.mark.slow, pytest.mark.processes]


def run(*command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def install(*command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    if done.returncode:
        pytest.skip(f"{' '.join(map(str, command))} failed: {done.stderr[-200:]}")


def test_a_generated_python_client_has_typed_fields(shipped, tmp_path):
    """Made by openapi-python-client."""
    run(sys.executable, "-m", "venv", "--without-pip", "env", folder=tmp_path)
    pip = (sys.executable, "-m", "pip", "--python", "env/bin/python")
    install(*pip, "install", "--quiet", "--no-compile", PYTHON_GENERATOR, folder=tmp_path)
    made = ("--meta", "none", "--output-path", "made")
    run("env/bin/openapi-python-client", "generate", "--path", str(CONTRACT), *made, folder=tmp_path)
    (tmp_path / "call.py").write_text(PYTHON)

    printed = run("env/bin/python", "call.py", shipped.url, str(RECEIPT), folder=tmp_path)

    assert printed.split("\n")[:2] == [EXPECTED, "image_undecodable"]


@pytest.mark.skipif(shutil.which("npm") is None, reason="needs Node.js with npm")
def test_a_generated_typescript_client_has_typed_fields(shipped, tmp_path):
    """Made by openapi-typescript, checked by tsc; `type` narrows the union to the document type."""
    (tmp_path / "package.json").write_text('{"type": "module"}')
    install("npm", "install", "--no-fund", "--no-audit", *NPM_PACKAGES, folder=tmp_path)
    run("node_modules/.bin/openapi-typescript", str(CONTRACT), "-o", "contract.d.ts", folder=tmp_path)
    for name, text in (("call.ts", TYPESCRIPT), ("tsconfig.json", TSCONFIG), ("node.d.ts", NODE_TYPES)):
        (tmp_path / name).write_text(text)
    run("node_modules/.bin/tsc", folder=tmp_path)
    printed = run("node", "out/call.js", shipped.url, str(RECEIPT), folder=tmp_path)

    assert printed.split("\n")[:2] == [EXPECTED, "image_undecodable"]
