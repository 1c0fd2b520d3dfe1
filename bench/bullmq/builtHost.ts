import { Effect } from "effect"
import { build } from "esbuild"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"

const root = new URL("../..", import.meta.url).pathname

/** An app of this folder, bundled as `<name>.js` into a folder of its own, which goes with the scope. */
export const builtHost = (name: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = mkdtempSync(join(root, "node_modules/.cache/svc-bench-")) // packages are found from here
      await build({
        absWorkingDir: root,
        bundle: true,
        entryPoints: [`bench/bullmq/${name}.ts`],
        format: "esm",
        outfile: join(folder, `${name}.js`),
        packages: "external",
        platform: "node"
      })
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
