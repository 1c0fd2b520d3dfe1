import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { virtualEnvironment } from "../e2e/virtualEnvironment.ts"

export const chart = join(import.meta.dirname, "../../deploy/helm/svc")

// manifests have too many shapes for a type here; the schemas of Kubernetes check them
// oxlint-disable-next-line typescript/no-explicit-any
export type Manifests = Readonly<Record<string, ReadonlyArray<any>>>

/** The chart's own examples of values, by their names. */
const exampleValues = () =>
  Object.fromEntries(
    readdirSync(join(chart, "ci")).map((file) => [
      file.replace("-values.yaml", ""),
      parse(readFileSync(join(chart, "ci", file), "utf8"))
    ])
  )

/**
 * The manifests of each file in the chart's `ci`, rendered by helm's library and validated with the schemas of these
 * versions of Kubernetes. Fails if helm accepts values that are to be refused.
 */
export const renderChart = async (
  versions: ReadonlyArray<string>,
  refused: ReadonlyArray<object>
): Promise<Manifests> => {
  const bin = await Effect.runPromise(
    virtualEnvironment("deploy", join(import.meta.dirname, "python/requirements.txt"))
  )
  const output = execFileSync(
    join(bin, "python"),
    [join(import.meta.dirname, "python/helm.py"), chart, ...versions],
    { encoding: "utf8", input: JSON.stringify({ values: exampleValues(), refused }) }
  )
  return JSON.parse(output)
}
