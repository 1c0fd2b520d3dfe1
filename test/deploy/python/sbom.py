"""Validates a bill of materials against the schema of CycloneDX 1.6. Usage: sbom.py FOLDER-OF-SCHEMAS FILE"""

import json
import sys
from pathlib import Path

import jsonschema
from referencing import Registry, Resource

folder, bill = Path(sys.argv[1]), Path(sys.argv[2])


def read(name):
    return json.loads((folder / name).read_text())


schema = read("bom-1.6.SNAPSHOT.schema.json")
# the schemas refer to each other by these names, relative to the address of the first
names = ["spdx.SNAPSHOT.schema.json", "jsf-0.82.SNAPSHOT.schema.json"]
resources = [(f"http://cyclonedx.org/schema/{name}", Resource.from_contents(read(name))) for name in names]
registry = Registry().with_resources(resources)
document = json.loads(bill.read_text())
jsonschema.Draft7Validator(schema, registry=registry).validate(document)
print(len(document["components"]))
