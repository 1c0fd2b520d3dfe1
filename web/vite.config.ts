import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, constants } from "node:zlib"
import { defineConfig, type Plugin, type Rollup } from "vite"

/** Compresses at the build what the brain would otherwise compress at every start. Fonts are compressed already. */
const precompress: Plugin = {
  name: "precompress",
  apply: "build",
  writeBundle({ dir = "" }) {
    for (const name of readdirSync(join(dir, "assets"))) {
      if (!/\.(js|css|svg)$/.test(name)) continue
      const content = readFileSync(join(dir, "assets", name))
      const br = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } })
      writeFileSync(join(dir, "assets", `${name}.br`), br)
    }
  }
}

/** The module and all that it imports at once. */
const reach = (id: string, getModuleInfo: Rollup.GetModuleInfo, reached = new Set<string>()): ReadonlySet<string> => {
  if (reached.has(id)) return reached
  reached.add(id)
  for (const imported of getModuleInfo(id)?.importedIds ?? []) reach(imported, getModuleInfo, reached)
  return reached
}

const first = join(import.meta.dirname, "src/main.tsx")
const frame = join(import.meta.dirname, "src/shell/Shell.tsx")

/** Each page is within the frame, so what the frame imports is one file with it; otherwise it would be 17 small ones. */
const isOfFrame = (id: string, getModuleInfo: Rollup.GetModuleInfo) =>
  reach(frame, getModuleInfo).has(id) && !reach(first, getModuleInfo).has(id)

export default defineConfig({
  root: import.meta.dirname,
  base: "./", // the page's <base> says where the dashboard is
  plugins: [react(), tailwindcss(), precompress],
  // TanStack's store takes the variant for React 17, which brings its own copy of what React has since
  resolve: { alias: { "use-sync-external-store/shim/with-selector": "use-sync-external-store/with-selector" } },
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the policy allows no data: fonts
    chunkSizeWarningLimit: 650, // kB before compression; test/e2e/dashboard.test.ts limits what a visitor loads
    // Its polyfill would be inline code, and its lists of files 2.3 KB of the first script. The page's response links the
    // files of the first page (src/http/Dashboard/Links.ts), and those of the others are loaded while nothing else is.
    modulePreload: false,
    manifest: "manifest.json",
    rollupOptions: {
      output: {
        onlyExplicitManualChunks: true,
        manualChunks: (id, { getModuleInfo }) => (isOfFrame(id, getModuleInfo) ? "Shell" : undefined)
      }
    }
  },
  server: { proxy: { "/api": "http://127.0.0.1:7700" } }
})
