import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryHome } from "../databases.ts"
import { svc } from "./svc.ts"

const token = "a-token-of-the-metrics"

describe("svc init and svc config", () => {
  it.scoped("write a starter file that says nothing yet, and never over another", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const file = join(home, "deep", "svc.conf")
      const settings = { SVC_HOME: join(home, "deep") }
      assert.strictEqual((yield* svc(["init"], settings)).stdout, `wrote ${file}\n`)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.include(readFileSync(file, "utf8"), "#SVC_REST_MAX_PAGE_SIZE=500")
      assert.notInclude(readFileSync(file, "utf8"), "SVC_SECRET_KEY")
      assert.match((yield* svc(["config", "validate"], settings)).stdout, /: ok, 0 settings\n$/)
      writeFileSync(file, readFileSync(file, "utf8").replace(/^#SVC_/gm, "SVC_")) // its defaults, written out
      assert.match((yield* svc(["config", "validate"], settings)).stdout, /: ok, \d+ settings\n$/)

      writeFileSync(file, "SVC_LOG_LEVEL=debug\n")
      const second = yield* svc(["init"], settings)
      assert.strictEqual(second.code, 1)
      assert.match(second.stderr, /^svc: [^\n]+ is there already; --force overwrites it\n$/)
      assert.strictEqual(readFileSync(file, "utf8"), "SVC_LOG_LEVEL=debug\n")
      assert.strictEqual((yield* svc(["init", "--force"], settings)).code, 0)
      assert.include(readFileSync(file, "utf8"), "#SVC_LOG_LEVEL=info")
    }))

  it.scoped("show each setting with its source: environment before file before tunables before default", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      writeFileSync(join(home, "svc.conf"), "SVC_LOG_LEVEL=debug\nSVC_REST_MAX_PAGE_SIZE=50\n")
      writeFileSync(join(home, "token"), `${token}\n`)
      const settings = { SVC_HOME: home, SVC_LOG_LEVEL: "error", SVC_METRICS_AUTH_TOKEN_FILE: join(home, "token") }
      const { stdout } = yield* svc(["config", "show"], settings)
      assert.include(stdout, "SVC_LOG_LEVEL=error  # environment\n")
      assert.include(stdout, "SVC_REST_MAX_PAGE_SIZE=50  # tunables\n")
      assert.include(stdout, "SVC_PORT=7700  # default\n")
      assert.include(stdout, "SVC_METRICS_AUTH_TOKEN=********  # file\n")
      assert.notInclude(stdout, token)

      const revealed = JSON.parse((yield* svc(["config", "show", "--json", "--reveal-secrets"], settings)).stdout)
      assert.deepInclude(revealed, { name: "SVC_METRICS_AUTH_TOKEN", value: token, source: "file" })
    }))

  it.scoped("name each mistake of the tunables file, in one line", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      writeFileSync(join(home, "svc.conf"), "SVC_COLOUR=blue\nSVC_REST_MAX_PAGE_SIZE=0\nSVC_SECRET_KEY=x\nnonsense\n")
      const { code, stderr } = yield* svc(["config", "validate"], { SVC_HOME: home })
      assert.strictEqual(code, 1)
      assert.match(stderr, /^svc: [^\n]+\n$/)
      for (const part of ["line 1: SVC_COLOUR", "line 2: SVC_REST_MAX_PAGE_SIZE", "1 to 5000", "line 3: SVC_SECRET_KEY", "line 4"]) {
        assert.include(stderr, part)
      }
      assert.strictEqual((yield* svc(["check"], { SVC_HOME: home })).code, 1)
    }))

  it.scoped("have svc doctor name what looks like a setting and is none", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      writeFileSync(join(home, "token"), token)
      const settings = { SVC_HOME: home, SVC_METRICS_AUTH_TOKEN_FILE: join(home, "token"), SVC_PORT_FILE: "x", SVC_COLOUR: "blue" }
      const operators = { SVC_URL: "https://svc.example.com", SVC_API_KEY_FILE: join(home, "token"), SVC_PROJECT: "shop" }
      const { stdout } = yield* svc(["doctor"], { ...settings, ...operators })
      assert.include(stdout, "warning: nothing reads SVC_COLOUR, SVC_PORT_FILE of the environment")
    }))

  it.scoped("have nothing to say about a file that is not there", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* svc(["config", "validate"], { SVC_HOME: yield* temporaryHome })
      assert.strictEqual(code, 0)
      assert.include(stdout, "nothing to check")
    }))
})
