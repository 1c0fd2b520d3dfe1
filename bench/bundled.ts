import { Effect } from "effect"
import { build } from "esbuild"

const root = new URL("..", import.meta.url).pathname

/**
 * Bundles a program of the benches, so that node runs it in a process of its own, and returns the path of its file.
 * `packages: "external"` for one that needs a native module, which cannot be bundled.
 */
export const bundled = (entry: string, packages: "bundle" | "external" = "bundle") =>
  Effect.promise(async () => {
    const outfile = `${root}node_modules/.cache/svc-bench-${entry.replaceAll("/", "-")}.mjs`
    await build({
      entryPoints: [`${root}bench/${entry}.ts`],
      outfile,
      bundle: true,
      packages,
      platform: "node",
      format: "esm",
      target: "node20",
      logLevel: "warning",
      banner: { js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);` }
    })
    return outfile
  })
