"""Validates values against the chart's schema, and manifests against the schemas of Kubernetes, strictly.

Usage: helm.py SCHEMA VERSION NAME…; of each name there are NAME.values.yaml and NAME.yaml. Values that must be refused
come from standard input, as a JSON list."""

import json
import sys

import jsonschema
import kubernetes_validate
import yaml

schema_path, version, *names = sys.argv[1:]
with open(schema_path) as file:
    schema = json.load(file)
validator = jsonschema.Draft7Validator(schema)
validator.check_schema(schema)
kinds = set()
for name in names:
    with open(f"{name}.values.yaml") as file:
        validator.validate(yaml.safe_load(file))
    with open(f"{name}.yaml") as file:
        for manifest in yaml.safe_load_all(file):
            kinds.add(manifest["kind"])
            if manifest["kind"] != "ServiceMonitor":  # of the Prometheus operator, not of Kubernetes
                kubernetes_validate.validate(manifest, version, strict=True)
for values in json.load(sys.stdin):
    if validator.is_valid(values):
        sys.exit(f"the schema accepts {values}")
print(",".join(sorted(kinds)))
