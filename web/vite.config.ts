import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, constants } from "node:zlib"
import { defineConfig, type Plugin } from "vite"

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

export default defineConfig({
  root: import.meta.dirname,
  base: "./", // the page's <base> says where the dashboard is
  plugins: [react(), tailwindcss(), precompress],
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the policy allows no data: fonts
    chunkSizeWarningLimit: 650, // kB before compression; test/e2e/dashboard.test.ts limits what a visitor loads
    modulePreload: { polyfill: false }, // it would be inline code
    manifest: "manifest.json"
  },
  server: { proxy: { "/api": "http://127.0.0.1:7700" } }
})
