import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { inject } from "vitest"
import { virtualEnvironment } from "../e2e/virtualEnvironment.ts"
import { has } from "../needs.ts"

const root = join(import.meta.dirname, "../..")
const hasPython = await has("Python")

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly files: ReadonlyArray<string>
}

interface Component {
  readonly purl: string
  readonly licenses?: ReadonlyArray<unknown>
  readonly hashes?: ReadonlyArray<unknown>
  readonly properties: ReadonlyArray<{ readonly name: string }>
}

describe("the software bill of materials", () => {
  it.live.skipIf(!hasPython)(
    "is CycloneDX 1.6, and names what is installed and what is in the bundle",
    () =>
      Effect.gen(function*() {
        const bill = join(dirname(inject("program")), "../sbom.cdx.json")
        const bin = yield* virtualEnvironment("deploy", join(import.meta.dirname, "python/requirements.txt"))
        const schemas = join(root, "node_modules/@cyclonedx/cyclonedx-library/res/schema")
        execFileSync(join(bin, "python"), [join(import.meta.dirname, "python/sbom.py"), schemas, bill])

        // the schema was checked above
        const { components } = JSON.parse(readFileSync(bill, "utf8")) as {
          readonly components: ReadonlyArray<Component>
        }
        const placesOf = (name: string, version: string | undefined) =>
          components.find(({ purl }) => purl === `pkg:npm/${name.replace("@", "%40")}@${version}`)?.properties
            .map(({ name }) => name) ?? []
        const { dependencies, devDependencies, files, optionalDependencies } = JSON.parse(
          readFileSync(join(root, "package.json"), "utf8")
        ) as Manifest // our own
        for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies })) {
          assert.include(placesOf(name, version), "svc:installed", name)
        }
        for (const name of ["effect", "@effect/cli", "tar-stream", "pg", "react", "uplot"]) {
          assert.include(placesOf(name, { ...dependencies, ...devDependencies }[name]), "svc:bundled", name)
        }
        for (const name of ["vitest", "typescript", "oxlint"]) {
          assert.deepStrictEqual(placesOf(name, devDependencies[name]), [], name) // tools, which users get no part of
        }
        for (const { hashes, licenses, purl } of components) {
          assert.isAbove(licenses?.length ?? 0, 0, purl)
          assert.isAbove(hashes?.length ?? 0, 0, purl)
        }
        assert.include(files, "dist/sbom.cdx.json")
      })
  )
})
