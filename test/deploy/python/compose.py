"""Validates a Compose file against the Compose specification; a key that it does not know is an error."""

import json
import sys

import compose_spec
import yaml

with open(sys.argv[1]) as file:
    document = json.dumps(yaml.safe_load(file))
print(",".join(sorted(compose_spec.PyCompose.from_json(document).service_names())))
