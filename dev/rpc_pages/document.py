"""The methods of docs/openapi.yaml, each with a request."""

from __future__ import annotations

import re
import sys

from .examples import REQUESTS
from .values import Mismatch, record, reference


class Method:
    def __init__(self, path, declared, schemas):
        self.path, self.grpc = path, declared["x-assay-grpc-path"]
        self.service, self.name = re.fullmatch(r"/assay\.v1\.(\w+)/(\w+)", self.grpc).groups()
        self.title = f"{self.service}/{self.name}"
        self.roles, self.idempotency = declared["x-assay-roles"], declared["x-assay-idempotency"]
        # The last paragraph says what the table of the page does.
        self.text = declared["description"].rpartition("\n\n")[0]
        self.summary = re.match(r"(?s)(.*?\.)?(?=\s|$)", self.text)[0]
        content = declared["requestBody"]["content"]
        self.is_stream = not path.startswith("/v1/")
        taken = next(iter(content.values()))
        given = next(iter(declared["responses"]["200"]["content"].values()))
        self.takes, self.gives = reference(taken.get("schema")), reference(given.get("schema"))
        examples = [each["value"] for each in taken.get("examples", {}).values()]
        self.request = examples[0] if examples and not self.is_stream else REQUESTS[self.title]
        self.answers = [] if self.is_stream else [(name, each["value"]) for name, each in given.get("examples", {}).items()]
        try:
            self.record = record(schemas, self.takes, self.request) if self.takes in schemas else None
        except Mismatch as error:
            sys.exit(f"{self.title}: {error}: correct dev/rpc_pages/examples.py")


class Document:
    def __init__(self, document):
        self.schemas = document["components"]["schemas"]
        self.tags = {tag["name"]: tag["description"] for tag in document["tags"]}
        declared = [(path, item["post"]) for path, item in document["paths"].items() if "x-assay-grpc-path" in item.get("post", {})]
        self.methods = [Method(path, post, self.schemas) for path, post in declared]
        self.calls = [method for method in self.methods if not method.is_stream]
        """The methods that answer once."""
