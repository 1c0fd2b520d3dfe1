import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

/** The folder of programs of a virtual environment that has these requirements. One process of the tests makes it. */
export const virtualEnvironment = (name: string, requirements: string) =>
  Effect.promise(async () => {
    const environment = join(import.meta.dirname, `../../node_modules/.cache/svc-e2e-${name}`)
    await mkdir(dirname(environment), { recursive: true })
    await promisify(execFile)("flock", [
      `${environment}.lock`,
      "sh",
      "-euc",
      `cmp -s "$1" "$2/requirements.txt" && exit
      rm -rf "$2"
      python3 -m venv "$2"
      "$2/bin/pip" install --quiet --disable-pip-version-check -r "$1"
      cp "$1" "$2/requirements.txt"`,
      "sh",
      requirements,
      environment
    ])
    return join(environment, "bin")
  })
