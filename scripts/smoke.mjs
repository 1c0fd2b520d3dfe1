// Packs the package, installs it into an empty folder, and uses it there as a newcomer would.
// `node scripts/smoke.mjs [file]` writes `<passed> <failed>` into the file. Needs a finished `npm run build`.
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "svc-smoke-"))
const prebuilt = mkdtempSync(join(tmpdir(), "svc-smoke-prebuilt-"))
const home = join(folder, "home")
const svc = join(folder, "node_modules/.bin/svc")
const env = { PATH: process.env.PATH, HOME: folder, SVC_HOME: home }

/** A program on every entry point; what a query may have, it need not have. */
const consumer = `
import { Effect, Redacted } from "effect"
import { Brain } from "svc"
import { startAgent } from "svc/agent"
import { bullmq, bullmqFromOutside } from "svc/agent/bullmq"
import * as queues from "svc/agent/effect-queue"
import { client } from "svc/http"

export const all = [Brain.layer, startAgent, bullmq, bullmqFromOutside, queues.make]

export const tasks = Effect.gen(function*() {
  const api = yield* client({ baseUrl: "http://127.0.0.1:7700", apiKey: Redacted.make("svk_x") })
  yield* api.users.list({ urlParams: {} })
  yield* api.activity.list({ urlParams: {} })
  yield* api.workers.listAgentWorkers({ path: { slug: "shop" }, urlParams: { state: "online" } })
  return yield* api.tasks.list({ path: { slug: "shop" }, urlParams: {} })
})
`

let passed = 0
let failed = 0
const check = async (what, run) => {
  try {
    await run()
    passed++
    console.log(`ok      ${what}`)
  } catch (error) {
    failed++
    console.log(`FAILED  ${what}: ${error instanceof Error ? error.message : error}`)
  }
}

const expect = (holds, otherwise) => {
  if (!holds) throw new Error(otherwise)
}

const run = (...args) => {
  const { status, stderr, stdout } = spawnSync(svc, args, { env, encoding: "utf8", timeout: 30_000 })
  expect(status === 0, `exit code ${status}: ${stdout}${stderr}`)
  return stdout
}

const node = (code) =>
  execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: folder, env, encoding: "utf8" })

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

/** Starts the brain, calls `use` when it says that it is ready, and stops it with SIGTERM. */
const whileServing = async (use) => {
  const port = await freePort()
  const server = spawn(svc, ["serve", "--port", String(port)], { env, stdio: ["ignore", "pipe", "pipe"] })
  const ended = new Promise((resolve) => server.on("exit", (code, signal) => resolve(code ?? signal)))
  let hints = ""
  try {
    await new Promise((resolve, reject) => {
      server.stderr.setEncoding("utf8").on("data", (text) => {
        hints += text
        if (hints.includes("ready at")) resolve()
      })
      server.stdout.resume()
      void ended.then((code) => reject(new Error(`the server ended with ${code}: ${hints}`)))
      setTimeout(() => reject(new Error(`not ready after 30 s: ${hints}`)), 30_000).unref()
    })
    await use(`http://127.0.0.1:${port}`, () => hints)
  } finally {
    server.kill("SIGTERM")
  }
  expect(await ended === 0, `SIGTERM ended the server with ${await ended}`)
}

try {
  const [{ filename }] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
      cwd: root,
      encoding: "utf8"
    })
  )
  // npm 11 runs no install script that the project has not allowed; npm 10 does not look at the field
  const allowScripts = { "better-sqlite3": true, argon2: true }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "newcomer", private: true, allowScripts }))
  execFileSync("npm", ["install", "--no-audit", "--no-fund", `./${filename}`], { cwd: folder, stdio: "inherit" })

  // argon2 0.45.1 shipped a prebuilt binary that ended Node 20.20 with SIGSEGV; compiling on install hid it
  await check("argon2 hashes with its prebuilt binary", () => {
    const { argon2 } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).dependencies
    writeFileSync(join(prebuilt, "package.json"), JSON.stringify({ name: "prebuilt", private: true }))
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", `argon2@${argon2}`], {
      cwd: prebuilt,
      stdio: "inherit"
    })
    const { signal, status } = spawnSync(process.execPath, ["-e", `require("argon2").hash("password")`], {
      cwd: prebuilt
    })
    expect(status === 0, `node ended with ${status ?? signal}`)
  })
  await check("svc version", () => expect(/^\d+\.\d+\.\d+\n$/.test(run("version")), "not a version"))
  await check(
    "svc --help lists the commands",
    () => expect(run("--help").includes("bootstrap-admin"), "no bootstrap-admin")
  )
  await check("svc check on a fresh home makes nothing", () => {
    run("check")
    expect(!existsSync(join(home, "svc.db")), "a database was made")
  })
  await check("svc serve: /health answers, SIGTERM ends it with 0", () =>
    whileServing(async (url, hints) => {
      const response = await fetch(`${url}/api/v1/health`)
      expect(response.status === 200, `status ${response.status}`)
      await check("the setup link is printed and its page opens", async () => {
        const link = /http:\/\/\S+\/setup\S*/.exec(hints())?.[0]
        expect(link !== undefined, `no setup link in: ${hints()}`)
        expect((await fetch(link)).status === 200, "the page does not open")
      })
    }))
  await check(
    "svc check prints the revision afterwards",
    () => expect(/revision: \d/.test(run("check")), "no revision")
  )
  await check("the library's entry points load", () => {
    node(
      `const { Brain, Projects } = await import("svc"); if (!Brain.layer || !Projects) throw new Error("no Brain.layer")`
    )
    node(`const { Api, client } = await import("svc/http"); if (!Api || !client) throw new Error("no Api")`)
    node(
      `const { startAgent, Agent } = await import("svc/agent"); if (!startAgent || !Agent.layer) throw new Error("no startAgent")`
    )
    node(
      `const queues = await import("svc/agent/effect-queue"); if (!queues.make || !queues.engine) throw new Error("no Effect queues")`
    )
  })
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const tools = ["typescript", "@types/node", "bullmq", "ioredis"].map((name) => `${name}@${devDependencies[name]}`)
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...tools], {
    cwd: folder,
    stdio: "inherit"
  })
  writeFileSync(join(folder, "consumer.mts"), consumer)
  for (const [module, moduleResolution] of [["nodenext", "nodenext"], ["node16", "node16"], ["esnext", "bundler"]]) {
    await check(`the types compile with skipLibCheck off: ${moduleResolution}`, () => {
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: true,
        target: "es2022",
        module,
        moduleResolution,
        types: ["node"],
        skipLibCheck: false,
        noEmit: true
      }
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.mts"] }))
      const { status, stdout } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "."], {
        cwd: folder,
        encoding: "utf8"
      })
      expect(status === 0, stdout)
    })
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
  rmSync(prebuilt, { recursive: true, force: true })
}

if (process.argv[2] !== undefined) writeFileSync(process.argv[2], `${passed} ${failed}\n`)
console.log(`smoke: ${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
