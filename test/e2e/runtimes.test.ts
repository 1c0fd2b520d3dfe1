import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile, spawn } from "node:child_process"
import { copyFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"
import { refusalOf } from "../../src/cli/program/NodeVersion.ts"
import { temporaryHome } from "../databases.ts"
import { examplePrograms, running } from "../examples/programs.ts"
import { nodeRelease, nodeReleases, oldestNode22 } from "../nodeReleases.ts"
import { until } from "../until.ts"
import { type Call, signedIn, siteIn } from "./brainProcess.ts"
import { expectStoredOnce, runOf, streaming } from "./streaming.ts"

interface Ended {
  readonly code: number | string | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end on this Node.js. */
const ran = (node: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>, input = "") =>
  Effect.async<Ended>((resume) => {
    const child = execFile(node, args, { env: { PATH: process.env.PATH ?? "", ...env } }, (error, stdout, stderr) => {
      resume(Effect.succeed({ code: error === null ? 0 : error.code ?? error.signal ?? null, stdout, stderr }))
    })
    child.stdin?.end(input)
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const successful = (...given: Parameters<typeof ran>) =>
  Effect.tap(ran(...given), ({ code, stderr, stdout }) => {
    assert.strictEqual(code, 0, `${given[1].join(" ")}: ${stdout}${stderr}`)
    assert.notInclude(stderr, "ExperimentalWarning")
  })

/** An application with our agent in it. Returns what it has printed. */
const hosted = (node: string, options: object) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(node, [join(inject("programs"), "agent-host.js"), JSON.stringify(options)])
        let printed = ""
        for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += String(chunk)))
        return { child, printed: () => printed }
      }),
      ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    ({ printed }) => printed
  )

const freshAgentAt = (call: Call, slug: string) =>
  Effect.gen(function*() {
    yield* call("POST", "/projects", { slug, name: slug })
    const { json } = yield* call("POST", `/projects/${slug}/agents`, { name: "agent" })
    return { token: String(json.token), hmac_secret: String(json.hmac_secret) }
  })

const totalOf = (call: Call, query: string) =>
  Effect.map(call("GET", `/projects/${query}limit=1&include_total=true`), ({ json }): number => json.total_count)

const version = process.versions.node
const runtimes: ReadonlyArray<readonly [release: string, node: () => Promise<string>]> = [
  [version, () => Promise.resolve(process.execPath)],
  ...nodeReleases.filter((release) => release.split(".")[0] !== version.split(".")[0])
    .map((release) => [release, () => nodeRelease(release)] as const)
]

describe.each(runtimes)("on Node.js %s", (_release, findNode) => {
  it.scopedLive(
    "a brain on SQLite starts, loses nothing by kill -9, is backed up and restored",
    () =>
      Effect.gen(function*() {
        const node = yield* Effect.promise(findNode)
        const env = { SVC_HOME: yield* temporaryHome, SVC_LOG_LEVEL: "warning" }
        const svc = (home: string, args: ReadonlyArray<string>, input = "") =>
          successful(node, [inject("program"), ...args], { ...env, SVC_HOME: home }, input)
        // the migrations run on this Node.js too
        const admin = ["bootstrap-admin", "--email", "admin@example.com", "--display-name", "Admin", "--password-stdin"]
        yield* svc(env.SVC_HOME, admin, "correct horse battery")
        const brain = yield* siteIn(inject("program"), env, node).brain
        const call = (yield* signedIn(brain))(brain)
        const agent = yield* freshAgentAt(call, "kill")
        const run = runOf(40, 2)
        const { done, streamer } = yield* streaming(agent, [brain.url], run.batches, 16)
        yield* Effect.promise(() => streamer.when(20))
        yield* Effect.zipRight(brain.kill, brain.start)
        yield* Effect.promise(() => done)
        yield* expectStoredOnce(call, "kill", run)
        // by the search's thread
        assert.strictEqual(yield* totalOf(call, "kill/tasks?search=op.pa&"), run.taskIds.length)

        // our agent, whose buffer is a SQLite file of this Node.js too
        const { hmac_secret, token } = yield* freshAgentAt(call, "host")
        const options = { brainUrl: brain.url, token, hmacSecret: hmac_secret, home: yield* temporaryHome, tasks: 5 }
        const host = yield* hosted(node, { ...options, after: "stay" })
        yield* until(totalOf(call, "host/tasks?state=success&"), (total) => total === 5)
        assert.match(host(), /^(written \w+\n)*$/)

        const archive = join(env.SVC_HOME, "archive")
        yield* svc(env.SVC_HOME, ["backup", "--output", archive])
        const other = yield* temporaryHome
        for (const key of ["secret.key", "audit-chain.key", "audit-signing.key"]) {
          copyFileSync(join(env.SVC_HOME, key), join(other, key))
        }
        copyFileSync(inject("migrated").sqlite, join(other, "svc.db"))
        yield* svc(other, ["restore", archive, "--force"])
        const restored = yield* siteIn(inject("program"), { ...env, SVC_HOME: other }, node).brain
        yield* expectStoredOnce((yield* signedIn(restored))(restored), "kill", run)
        for (const each of [brain, restored]) {
          assert.strictEqual(yield* each.stop, 0)
          assert.notMatch(each.log(), /ExperimentalWarning|Unhandled|Error:/)
        }
      })
  )

  it.scopedLive("the example of the library, and the one that embeds the brain, run", () =>
    Effect.gen(function*() {
      const node = yield* Effect.promise(findNode)
      const examples = yield* examplePrograms
      const env = { SVC_HOME: yield* temporaryHome, SVC_LOG_LEVEL: "warning", SVC_PORT: "0" }
      const shortest = yield* successful(node, [join(examples, "shortest.js")], env)
      assert.deepStrictEqual(shortest, { code: 0, stdout: "[]\n", stderr: "" })
      const embedding = yield* running(join(examples, "main.js"), env, node)
      yield* until(Effect.sync(embedding.output), (text) => /listening at http/.test(text))
      assert.strictEqual(yield* embedding.stop, 0)
      assert.notInclude(embedding.output(), "ExperimentalWarning")
    }))
})

it.effect("another Node.js is refused before the program's modules are loaded", () =>
  Effect.gen(function*() {
    for (const [name, entry] of [["svc", "svc.js"], ["svc-scheduler", "svc-scheduler.js"]] as const) {
      const versions = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "23.11.0" } })`
      const file = inject("program").replace(/svc\.js$/, entry)
      const { code, stderr, stdout } = yield* ran(
        process.execPath,
        [`--import=data:text/javascript,${versions}`, file],
        {}
      )
      assert.deepStrictEqual([code, stdout], [1, ""], name)
      assert.match(stderr, /^svc needs Node\.js 20\.19, .* and was not tested on 23\.11\.0, .*\n$/)
      const first = readFileSync(file, "utf8").split("\n").filter((line) => /\bimport\b/.test(line)).join("\n")
      for (const [, chunk = ""] of first.matchAll(/(?:from|^import|;import)\s*"(\.[^"]+)"/g)) {
        assert.isBelow(readFileSync(join(file, "..", chunk)).length, 3000, chunk)
      }
    }
  }))

it("the image has a Node.js that is tested", () => {
  const dockerfile = readFileSync(new URL("../../deploy/docker/Dockerfile", import.meta.url), "utf8")
  const [, major] = /^ARG NODE_VERSION=(\d+)/m.exec(dockerfile) ?? []
  assert.include(nodeReleases.map((release) => release.split(".")[0]), major)
})

it("the versions that are accepted are those of package.json, and those that are tested", () => {
  const { engines } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
  assert.strictEqual(engines.node, "^20.19.0 || ^22.16.0 || ^24.0.0 || ^26.0.0")
  for (const good of ["20.19.0", "20.20.2", oldestNode22, "24.0.0", "26.0.0", ...nodeReleases, version]) {
    assert.isUndefined(refusalOf(good), good)
  }
  for (
    const bad of ["18.20.8", "20.18.3", "21.7.3", "22.13.0", "22.15.1", "23.11.1", "25.9.0", "27.0.0", "28.1.0", ""]
  ) {
    assert.isString(refusalOf(bad), bad)
  }
})
