// Packs the packages `svc` and `svc-agent`, installs them into empty folders, and uses them there as newcomers would.
// `vite-node scripts/smoke.ts [file] [all]` writes `<passed> <failed>` into the file. `all`: also installs without
// peers, globally and into an application with another effect, runs the packed svc-agent on the oldest BullMQ and on the
// other releases of Node.js that are tested, and compiles the types in each way, with those of all packages. Needs a
// finished `npm run build`, and Redis at 127.0.0.1:6379.
import { Effect } from "effect"
import { execFileSync, spawn, spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { nodeRelease, nodeReleases } from "../test/nodeReleases.ts"
import { freePort } from "../test/ports.ts"

const isAll = process.argv[3] === "all"
const root = fileURLToPath(new URL("../", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "svc-smoke-"))
const apart = mkdtempSync(join(tmpdir(), "svc-smoke-apart-")) // folders with other installs, which must not find the first
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
import * as standalone from "svc-agent"
import * as standaloneBullmq from "svc-agent/bullmq"
import { Agent } from "svc-agent/effect"
import * as sharedBullmq from "svc-agent/effect/bullmq"
import * as sharedQueues from "svc-agent/effect/queue"

export const all = [Brain.layer, startAgent, bullmq, bullmqFromOutside, queues.make, sharedQueues.make]

export const plain = (options: Omit<standalone.AgentOptions, "engines">) =>
  standalone.startAgent({ ...options, engines: [standaloneBullmq.bullmq({ workers: [] })] })
export const shared = (token: Redacted.Redacted) =>
  Agent.layer({ brainUrl: "", token, hmacSecret: token, engines: [sharedBullmq.bullmq({ queues: [] })] })

export const tasks = Effect.gen(function*() {
  const api = yield* client({ baseUrl: "http://127.0.0.1:7700", apiKey: Redacted.make("svk_x") })
  yield* api.users.list({ urlParams: {} })
  yield* api.activity.list({ urlParams: {} })
  yield* api.workers.listAgentWorkers({ path: { slug: "shop" }, urlParams: { state: "online" } })
  return yield* api.tasks.list({ path: { slug: "shop" }, urlParams: {} })
})
`

/** A program on svc-agent's entry points that need no effect. */
const plainConsumer = `
import type { Queue } from "bullmq"
import { fromEnvironment, startAgent } from "svc-agent"
import { bullmq, bullmqFromOutside } from "svc-agent/bullmq"

export const start = async (queue: Queue) => {
  const engines = [bullmq({ queues: [queue] }), bullmqFromOutside({ queues: ["mail"], connection: "redis://127.0.0.1" })]
  const agent = await startAgent({ ...fromEnvironment({}), engines, log: (level, message) => console.log(level, message) })
  return agent.status().buffer.events
}
`

let passed = 0
let failed = 0
const check = async (what: string, run: () => void | Promise<void>) => {
  const begin = performance.now()
  try {
    await run()
    passed++
    console.log(`ok      ${what} (${((performance.now() - begin) / 1000).toFixed(1)} s)`)
  } catch (error) {
    failed++
    console.log(`FAILED  ${what}: ${error instanceof Error ? error.message : error}`)
  }
}

const expect = (holds: boolean, otherwise: string) => {
  if (!holds) throw new Error(otherwise)
}

interface Call {
  readonly input?: string
  readonly variables?: Readonly<Record<string, string>>
  readonly program?: string
}

const runWith = ({ input = "", program = svc, variables = {} }: Call, ...args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync(program, args, {
    env: { ...env, ...variables },
    encoding: "utf8",
    input,
    timeout: 60_000
  })
  expect(status === 0, `exit code ${status}: ${stdout}${stderr}`)
  return stdout
}

const run = (...args: ReadonlyArray<string>): string => runWith({}, ...args)

/** `svc check` on any port: another program of this machine may have the default one. */
const runCheck = (program = svc) => runWith({ program, variables: { SVC_PORT: "0" } }, "check")

const pack = (from: string): string => {
  const options = ["pack", "--json", "--ignore-scripts", "--pack-destination", apart]
  const printed = execFileSync("npm", options, { cwd: from, encoding: "utf8" })
  const [packed] = JSON.parse(printed) as ReadonlyArray<{ readonly filename: string }> // the cast: npm prints it
  return join(apart, packed?.filename ?? "")
}

/** Installs into a folder, without install scripts. `npm ci` has put most packages into npm's cache. */
const install = (where: string, ...args: ReadonlyArray<string>) => {
  mkdirSync(where, { recursive: true })
  if (!existsSync(join(where, "package.json"))) {
    writeFileSync(join(where, "package.json"), JSON.stringify({ name: "newcomer", private: true }))
  }
  const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"]
  execFileSync("npm", ["install", ...options, ...args], { cwd: where, stdio: "inherit" })
}

type Ranges = Readonly<Record<string, string>>

interface Manifest {
  readonly version: string
  readonly dependencies?: Ranges
  readonly devDependencies?: Ranges
  readonly optionalDependencies?: Ranges
  readonly peerDependencies?: Ranges
}

// the cast: it is a package's manifest
const readManifest = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Manifest

/** Puts the better-sqlite3 that `npm ci` compiled where one was installed without scripts: compiling takes a minute. */
const copyCompiled = (where: string) =>
  cpSync(join(root, "node_modules/better-sqlite3/build"), join(where, "node_modules/better-sqlite3/build"), {
    recursive: true
  })

/** The folders of the packages of that name below node_modules. */
const copiesOf = (name: string, where: string): ReadonlyArray<string> =>
  readdirSync(join(where, "node_modules"), { recursive: true, encoding: "utf8" }).filter((file) =>
    `/${file}`.endsWith(`/${name}/package.json`) &&
    /(^|\/node_modules\/)$/.test(file.slice(0, -`${name}/package.json`.length))
  )

/**
 * Compiles the file as `tsc` does. `only`: names the files that are checked, where another compilation has checked the
 * declarations of all packages.
 */
const compile = (where: string, compilerOptions: object, file: string, only = /./) => {
  const { errors, options } = ts.convertCompilerOptionsFromJson(compilerOptions, where)
  const program = ts.createProgram({ rootNames: [join(where, file)], options, configFileParsingDiagnostics: errors })
  const checked = program.getSourceFiles().filter(({ fileName }) => only.test(fileName))
  const found = [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...checked.flatMap((
      source
    ) => [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]),
    ...program.getGlobalDiagnostics()
  ]
  expect(checked.length > 1, `nothing is checked: ${only}`)
  expect(
    found.length === 0,
    ts.formatDiagnostics(found, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => where,
      getNewLine: () => "\n"
    })
  )
}

const until = async (what: string, holds: () => boolean) => {
  for (let attempt = 0; attempt < 120; attempt++) {
    if (holds()) return
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  throw new Error(`not within 30 s: ${what}`)
}

const node = (code: string) =>
  execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: folder, env, encoding: "utf8" })

/** Starts the brain, calls `use` when it says that it is ready, and stops it with SIGTERM. */
const whileServing = async (use: (url: string, hints: () => string) => Promise<void>) => {
  const port = await Effect.runPromise(freePort)
  const server = spawn(svc, ["serve", "--port", String(port)], { env, stdio: ["ignore", "pipe", "pipe"] })
  const ended = new Promise((resolve) => server.on("exit", (code, signal) => resolve(code ?? signal)))
  let hints = ""
  try {
    await new Promise<void>((resolve, reject) => {
      server.stderr.setEncoding("utf8").on("data", (text: string) => {
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
  await check("npm start builds nothing again, and leaves the files of a running brain", () => {
    const inode = () => statSync(join(root, "dist/cli")).ino
    const before = inode()
    const { status, stderr, stdout } = spawnSync("npm", ["run", "--silent", "build", "program"], {
      cwd: root,
      encoding: "utf8"
    })
    expect(status === 0 && `${stdout}${stderr}` === "", `${status} ${stdout}${stderr}`)
    expect(inode() === before, "dist/cli is another folder")
  })
  const tarball = pack(root)
  install(folder, tarball)
  copyCompiled(folder)

  // argon2 0.45.1 shipped a prebuilt binary that ended Node 20.20 with SIGSEGV; compiling on install hid it
  await check("argon2 hashes with its prebuilt binary", () => {
    const { signal, status } = spawnSync(process.execPath, ["-e", `require("argon2").hash("password")`], {
      cwd: folder
    })
    expect(status === 0, `node ended with ${status ?? signal}`)
  })
  await check("npm install brings the peers, one copy of effect", () => {
    expect(copiesOf("effect", folder).length === 1, `copies: ${copiesOf("effect", folder).join(", ")}`)
  })
  await check("svc version", () => expect(/^\d+\.\d+\.\d+\n$/.test(run("version")), "not a version"))
  await check(
    "svc --help lists the commands",
    () => expect(run("--help").includes("bootstrap-admin"), "no bootstrap-admin")
  )
  await check("svc check on a fresh home makes nothing", () => {
    runCheck()
    expect(!existsSync(join(home, "svc.db")), "a database was made")
  })
  await check("svc serve: /health answers, SIGTERM ends it with 0", () =>
    whileServing(async (url, hints) => {
      const response = await fetch(`${url}/api/v1/health`)
      expect(response.status === 200, `status ${response.status}`)
      await check("the setup link is printed and its page opens", async () => {
        const link = /http:\/\/\S+\/setup\S*/.exec(hints())?.[0]
        if (link === undefined) throw new Error(`no setup link in: ${hints()}`)
        expect((await fetch(link)).status === 200, "the page does not open")
      })
    }))
  await check(
    "svc check prints the revision afterwards",
    () => expect(/revision: \d/.test(runCheck()), "no revision")
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

  if (isAll) {
    await check("the program runs without the library's peers: npm install --omit=peer", () => {
      const lean = join(apart, "lean")
      install(lean, "--omit=peer", tarball)
      copyCompiled(lean)
      expect(copiesOf("effect", lean).length === 0, "effect was installed")
      const program = join(lean, "node_modules/.bin/svc")
      expect(runWith({ program }, "version") === run("version"), "another version")
      expect(runCheck(program).includes("revision: "), "no revision")
    })
    await check("a global installation brings no peers with --legacy-peer-deps: it ignores --omit=peer", () => {
      const prefix = join(apart, "global")
      mkdirSync(prefix)
      const options = ["--global", "--prefix", prefix, "--legacy-peer-deps", "--ignore-scripts", "--prefer-offline"]
      execFileSync("npm", ["install", ...options, "--no-audit", "--no-fund", tarball], { stdio: "inherit" })
      const installed = join(prefix, "lib/node_modules/svc")
      copyCompiled(installed)
      expect(copiesOf("effect", installed).length === 0, "effect was installed")
      expect(runWith({ program: join(prefix, "bin/svc") }, "version") === run("version"), "another version")
    })
    await check("an application with another effect shares it: examples/own-effect", () => {
      const example = join(apart, "examples/own-effect")
      cpSync(join(root, "examples/own-effect"), example, {
        recursive: true,
        filter: (file) => !/node_modules|dist|package-lock/.test(file.slice(root.length))
      })
      install(example)
      copyCompiled(example)
      const { dependencies = {} } = readManifest(join(example, "package.json"))
      const copies = copiesOf("effect", example)
      expect(copies.length === 1, `copies: ${copies.join(", ")}`)
      const installed = readManifest(join(example, "node_modules", copies[0] ?? "")).version
      expect(installed === dependencies.effect, `effect ${installed}`)
      execFileSync("npm", ["run", "build"], { cwd: example, stdio: "inherit" })
      const variables = { SVC_HOME: join(apart, "own-home"), SVC_PORT: "0" }
      const printed = runWith({ program: process.execPath, variables }, join(example, "dist/main.js"))
      for (
        const line of [`effect ${installed}`, "Conflict", "Unauthenticated", "order 17 is packed", "has the task: Some"]
      ) {
        expect(printed.includes(line), `"${line}" is missing in: ${printed}`)
      }
      expect(!printed.includes("two copies"), printed)
    })
  }

  const alone = join(apart, "agent")
  const agentTarball = pack(join(root, "dist/agent"))
  await check("svc-agent brings neither the brain's packages nor Effect", () => {
    install(alone, agentTarball)
    const names = readdirSync(join(alone, "node_modules")).filter((name) => !name.startsWith("."))
    expect(names.sort().join() === "svc-agent,ws", `installed: ${names}`)
  })
  const { devDependencies = {}, optionalDependencies = {}, peerDependencies = {} } = readManifest(
    join(root, "package.json")
  )
  const strict = (module: string, moduleResolution: string) => ({
    strict: true,
    exactOptionalPropertyTypes: true,
    target: "es2022",
    module,
    moduleResolution,
    types: ["node"],
    skipLibCheck: false,
    noEmit: true
  })
  // each way of resolution, and each BullMQ, finds our declarations; the other packages' are checked once
  const ours = /\/node_modules\/svc(-agent)?\/|consumer\.mts$/
  await whileServing(async (url) => {
    const variables = {
      SVC_URL: url,
      SVC_AGENT_BRAIN_URL: url,
      SVC_AGENT_HOME: join(alone, "home"),
      REDIS_URL: "redis://127.0.0.1:6379/7" // the queues of the example have plain names
    }
    const source = readFileSync(join(root, "examples/bullmq/shop.mjs"), "utf8")
    writeFileSync(join(alone, "shop.mjs"), source.replaceAll(`"svc/agent`, `"svc-agent`))
    writeFileSync(join(alone, "consumer.mts"), plainConsumer)
    const flush = `const { Redis } = await import("ioredis"); const redis = new Redis(process.env.REDIS_URL)
      await redis.flushdb(); redis.disconnect()`
    const flushRedis = () =>
      execFileSync(process.execPath, ["--input-type=module", "-e", flush], {
        cwd: alone,
        env: { ...env, ...variables }
      })
    const hasSqlite = process.getBuiltinModule("node:sqlite") !== undefined
    if (!hasSqlite) {
      await check("svc-agent without SQLite says what to install", () => {
        const script = `import { startAgent } from "svc-agent"
          const agent = await startAgent({ brainUrl: "${url}", token: "t", hmacSecret: "x".repeat(43), engines: [] })
          console.log(agent.status().problem)`
        const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
          cwd: alone,
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"]
        })
        expect(printed.includes("npm install better-sqlite3"), `without SQLite: ${printed}`)
      })
      install(alone, `better-sqlite3@${optionalDependencies["better-sqlite3"]}`)
      copyCompiled(alone)
    }
    const password = { input: "correct horse battery\n", variables }
    runWith(password, "bootstrap-admin", "--email", "you@example.com", "--password-stdin")
    runWith(password, "login", "--email", "you@example.com", "--password-stdin")
    const created = runWith({ variables }, "agents", "create", "shop-node")
    const secrets = Object.fromEntries(
      [...created.matchAll(/(SVC_AGENT_(?:TOKEN|HMAC_SECRET))=(\S+)/g)].map(([, name, value]) => [name, value])
    )
    const listed = (state: string, name: string) => {
      // the cast: a page of the API
      const { items } = JSON.parse(runWith({ variables }, "tasks", "list", "--state", state, "--json")) as {
        readonly items: ReadonlyArray<{ readonly name: string; readonly task_id: string }>
      }
      return items.filter((task) => task.name === name)
    }
    // The oldest BullMQ that the manifest allows, then ours on the same Redis. The adapter's own tests run with the newest
    // 5 and 6.
    const oldest = isAll ? [/\d+\.\d+\.\d+/.exec(peerDependencies.bullmq ?? "")?.[0] ?? ""] : []
    const versions = [...oldest, devDependencies.bullmq ?? ""]
    /** A job of the shop fails, the brain shows it, and its retry succeeds. */
    const sell = async (node: string) => {
      const receipts = listed("success", "receipt").length
      const shop = spawn(node, ["shop.mjs"], {
        cwd: alone,
        env: { ...env, ...variables, ...secrets },
        stdio: ["ignore", "pipe", "inherit"]
      })
      const ended = new Promise((resolve) => shop.on("exit", (code, signal) => resolve(code ?? signal)))
      try {
        shop.stdout.resume()
        await until("a declined payment", () => listed("failure", "charge").length > 0)
        runWith({ variables }, "commands", "retry", listed("failure", "charge")[0]?.task_id ?? "", "--wait")
        await until("its receipt", () => listed("success", "receipt").length > receipts)
      } finally {
        shop.kill("SIGTERM")
      }
      expect(await ended === 0, `SIGTERM ended the shop with ${await ended}`)
    }
    install(alone, `ioredis@${devDependencies.ioredis}`)
    flushRedis()
    for (const version of versions) {
      await check(`svc-agent on BullMQ ${version}: the brain shows a job and retries it`, async () => {
        install(alone, `bullmq@${version}`, `ioredis@${devDependencies.ioredis}`)
        for (const name of ["effect", "argon2", "pg", "nodemailer", "@effect/cli"]) {
          expect(copiesOf(name, alone).length === 0, `${name} is installed`)
        }
        await sell(process.execPath)
      })
      await check(`svc-agent's types compile without effect, with BullMQ ${version}`, () => {
        const typeRoots = [join(root, "node_modules/@types")]
        compile(alone, { ...strict("nodenext", "nodenext"), typeRoots }, "consumer.mts", ours)
      })
    }
    const own = process.versions.node.split(".")[0]
    const others = isAll ? nodeReleases.filter((release) => release.split(".")[0] !== own) : []
    rmSync(join(alone, "node_modules/better-sqlite3"), { recursive: true, force: true }) // they have SQLite
    for (const release of others) {
      await check(`svc-agent on Node.js ${release}: the brain shows a job and retries it`, async () => {
        await sell(await nodeRelease(release))
      })
    }
    flushRedis()
  })

  const tools = ["@types/node", "bullmq", "ioredis"].map((name) => `${name}@${devDependencies[name]}`)
  install(folder, agentTarball, ...tools)
  writeFileSync(join(folder, "consumer.mts"), consumer)
  for (
    const [module, moduleResolution, only] of [
      ["nodenext", "nodenext", isAll ? /./ : ours],
      ...(isAll ? [["node16", "node16", ours], ["esnext", "bundler", ours]] as const : [])
    ] as const
  ) {
    await check(
      `the types compile with skipLibCheck off: ${moduleResolution}`,
      () => compile(folder, strict(module, moduleResolution), "consumer.mts", only)
    )
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
  rmSync(apart, { recursive: true, force: true })
}

if (process.argv[2] !== undefined) writeFileSync(process.argv[2], `${passed} ${failed}\n`)
console.log(`smoke: ${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
