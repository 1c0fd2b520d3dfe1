import { FileSystem } from "@effect/platform"
import { Effect, Option, Schema } from "effect"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { entityTagOf, type PreparedFile } from "../PreparedFile.ts"
import { Manifest } from "./Links.ts"

/** The built dashboard in memory (`npm run build`): its page, and its other files by their path below its folder. */
export interface DashboardFiles {
  readonly page: string
  readonly manifest: Manifest
  readonly files: ReadonlyMap<string, DashboardFile>
}

export interface DashboardFile extends PreparedFile {
  readonly contentType: string
}

const contentTypes: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2"
}

/**
 * Where the build puts the dashboard: beside the bundled program, or beside the library's files. The sources have none,
 * so a brain that runs from them serves the plain page.
 */
const possibleFolders = (): ReadonlyArray<string> =>
  import.meta.url.endsWith(".js")
    ? ["../web/", "../../../../web/"].map((path) => fileURLToPath(new URL(path, import.meta.url)))
    : []

const readFiles = Effect.fnUntraced(function*(folder: string) {
  const fs = yield* FileSystem.FileSystem
  const names = yield* fs.readDirectory(join(folder, "assets"))
  const readCompressed = (path: string) => Effect.option(fs.readFile(`${path}.br`))
  const files = yield* Effect.forEach(
    names.filter((name) => !name.endsWith(".br")),
    (name) =>
      Effect.gen(function*() {
        const path = join(folder, "assets", name)
        const plain = yield* fs.readFile(path)
        const br = Option.getOrNull(yield* readCompressed(path))
        const contentType = contentTypes[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream"
        return [name, { plain, br, gzip: null, etag: entityTagOf(plain), contentType } satisfies DashboardFile] as const
      }),
    { concurrency: 8 }
  )
  return {
    page: yield* fs.readFileString(join(folder, "index.html")),
    manifest: yield* Schema.decode(Manifest)(yield* fs.readFileString(join(folder, "manifest.json"))),
    files: new Map(files)
  }
})

/** Null where the program has no built dashboard beside it. A folder that cannot be read is a defect of the installation. */
export const readDashboard: Effect.Effect<DashboardFiles | null, never, FileSystem.FileSystem> = Effect.gen(
  function*() {
    const fs = yield* FileSystem.FileSystem
    for (const folder of possibleFolders()) {
      if (yield* fs.exists(join(folder, "index.html"))) return yield* readFiles(folder)
    }
    return null
  }
).pipe(Effect.orDie)
