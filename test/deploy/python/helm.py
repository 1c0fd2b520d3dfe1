"""Renders the chart with helm for each set of values, and validates the manifests with the schemas of Kubernetes, strictly.

Usage: helm.py CHART VERSION…. Standard input is JSON: `values`, the sets by their names, and `refused`, a list of values
that helm must refuse. Prints the manifests of each set as JSON."""

import json
import sys

import helm_python as helm
import kubernetes_validate
import yaml

path, *versions = sys.argv[1:]
given = json.load(sys.stdin)


def is_refused(chart, values):
    try:
        chart.render(values, name="svc", namespace="svc")
    except helm.HelmError:
        return True
    return False


with helm.Chart.load(path) as chart:
    manifests = {
        name: [
            manifest
            for file, text in chart.render(values, name="svc", namespace="svc").items()
            if file.endswith(".yaml")
            for manifest in yaml.safe_load_all(text)
            if manifest is not None
        ]
        for name, values in given["values"].items()
    }
    accepted = [values for values in given["refused"] if not is_refused(chart, values)]

for all_of_a_name in manifests.values():
    for manifest in all_of_a_name:
        if manifest["kind"] != "ServiceMonitor":  # of the Prometheus operator, not of Kubernetes
            for version in versions:
                kubernetes_validate.validate(manifest, version, strict=True)
if accepted:
    sys.exit(f"the chart accepts {accepted}")
print(json.dumps(manifests))
