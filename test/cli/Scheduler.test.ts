import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { cli } from "../../src/cli/scheduler/Command.ts"
import { lockHome } from "../../src/scheduler/Scheduler.ts"
import { stateFile } from "../../src/scheduler/Store.ts"
import { freshProject, serverOn } from "../brain.ts"
import { temporaryHome } from "../databases.ts"
import { makePki, type Pki } from "../grpc/pki.ts"
import { freePort } from "../ports.ts"
import { ok, visitor } from "./remote.ts"
import type { Ran, Settings } from "./svc.ts"
import { svcHere } from "./svcHere.ts"

const run = (settings: Settings, ...args: ReadonlyArray<string>) => svcHere(args, settings, { cli })

const assertRefused = ({ code, stderr }: Ran, part: string, expected = 1) => {
  assert.strictEqual(code, expected, stderr)
  assert.match(stderr, /^svc-scheduler: [^\n]+\n$/)
  assert.include(stderr, part)
}

describe("svc-scheduler", () => {
  it.effect("has its own help, version and usage errors", () =>
    Effect.gen(function*() {
      const help = ok(yield* run({}, "--help"))
      assert.include(help, "Usage: svc-scheduler <command> [options]")
      assert.include(help, "add, disable, edit, enable, history, list, trigger")
      assert.match(ok(yield* run({}, "version")), /^\d+\.\d+\.\d+\n$/)
      assert.include(ok(yield* run({}, "schedules", "add", "--help")), "Usage: svc-scheduler schedules add [options]")
      assertRefused(yield* run({}, "stauts"), "did you mean svc-scheduler status?", 2)
      assertRefused(yield* run({}, "check", "--jsn"), "did you mean --json?", 2)
    }))

  it.scoped("refuses invalid settings, each with what is wrong", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      for (const address of ["brain", "brain:0", "brain:70000", "https://brain:7701", "a:1,b", ","]) {
        assertRefused(yield* run({ SVC_HOME: home, SVC_SCHEDULER_BRAIN: address }, "check"), "SVC_SCHEDULER_BRAIN")
      }
      assertRefused(
        yield* run({ SVC_HOME: home, SVC_SCHEDULE_CATCH_UP_MAX: "0" }, "serve"),
        "SVC_SCHEDULE_CATCH_UP_MAX"
      )
    }))

  it.scoped("says that no process runs, and that another one uses the folder", () =>
    Effect.gen(function*() {
      const settings = { SVC_SCHEDULER_HOME: yield* temporaryHome }
      const status = yield* run(settings, "status", "--json")
      assert.strictEqual(status.code, 1)
      assert.isFalse(JSON.parse(status.stdout).running)
      assertRefused(yield* run(settings, "restart"), "no svc-scheduler runs with the folder")
      assert.include(JSON.parse(ok(yield* run(settings, "info", "--json"))).settings, { SVC_SCHEDULER_PROJECTS: "" })
      yield* lockHome(settings.SVC_SCHEDULER_HOME)
      assertRefused(yield* run(settings, "serve"), "Another svc-scheduler uses")
    }))

  it.scoped("shows the status of a program whose file has no tables yet", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      writeFileSync(stateFile(home), "")
      yield* lockHome(home)
      const { stderr, stdout } = yield* run({ SVC_SCHEDULER_HOME: home }, "status", "--json")
      assert.strictEqual(stderr, "")
      assert.include(JSON.parse(stdout), { running: true, connected: false, waiting_fires: 0 })
    }))
})

class Site extends Context.Tag("test/Site")<Site, { readonly pki: Pki; readonly port: number }>() {}

const site = Layer.unwrapScoped(Effect.gen(function*() {
  const pki = yield* makePki
  const port = yield* freePort
  const allowed = { ...pki.settings(port), embeddedScheduler: false, schedulerGrpcAllowedNames: ["scheduler-1"] }
  return Layer.merge(serverOn("SQLite", allowed), Layer.succeed(Site, { pki, port }))
}))

layer(site, { excludeTestServices: true })("svc-scheduler and a brain", (it) => {
  const settingsOf = (name: string, age = 0) =>
    Effect.gen(function*() {
      const { pki, port } = yield* Site
      const { cert, key } = yield* pki.authority.client(name, age)
      chmodSync(key, 0o600)
      return {
        SVC_SCHEDULER_HOME: yield* temporaryHome,
        SVC_SCHEDULER_BRAIN: `127.0.0.1:${port}`,
        SVC_SCHEDULER_TLS_CERT: cert,
        SVC_SCHEDULER_TLS_KEY: key,
        SVC_SCHEDULER_TLS_CA: pki.authority.cert
      }
    })

  it.scoped("check and doctor connect, and name the step that fails with what to do", () =>
    Effect.gen(function*() {
      const { pki, port } = yield* Site
      const { slug } = yield* freshProject()
      const settings = yield* settingsOf("scheduler-1")
      const found = JSON.parse(ok(yield* run(settings, "check", "--json")))
      assert.isTrue(found.ok)
      const doctor = ok(yield* run(settings, "doctor"))
      assert.match(doctor, /brain +ok +127\.0\.0\.1:\d+, svc \d/)
      assert.match(doctor, new RegExp(`projects +ok +.*\\b${slug}\\b`))
      assert.match(doctor, /process +warning +no svc-scheduler runs/)

      const failing: ReadonlyArray<readonly [Partial<typeof settings> & Settings, RegExp]> = [
        [
          { SVC_SCHEDULER_BRAIN: `127.0.0.1:${yield* freePort}` },
          /brain +failed[^]*-> start the brain with SVC_SCHEDULER_GRPC_BIND/
        ],
        [{ SVC_SCHEDULER_TLS_CA: pki.otherAuthority.cert }, /brain +failed[^]*-> set SVC_SCHEDULER_TLS_CA/],
        [{ SVC_SCHEDULER_TLS_SERVER_NAME: "other.example" }, /brain +failed[^]*-> set SVC_SCHEDULER_TLS_SERVER_NAME/],
        [
          { SVC_SCHEDULER_TLS_CERT: join(settings.SVC_SCHEDULER_HOME, "none") },
          /certificate +failed +SVC_SCHEDULER_TLS_CERT: the file/
        ],
        [{ SVC_SCHEDULER_TLS_KEY: pki.brain.key }, /certificate +failed +SVC_SCHEDULER_TLS_KEY is not the key/],
        [yield* settingsOf("scheduler-old", 3), /certificate +failed +.* has expired/],
        [yield* settingsOf("scheduler-2"), /brain +failed[^]*-> the brain refuses this certificate/],
        [{ SVC_SCHEDULER_PROJECTS: `${slug},none` }, /projects +failed +the brain has no project none/]
      ]
      for (const [changes, expected] of failing) {
        const { code, stdout } = yield* run({ ...settings, ...changes }, "check")
        assert.strictEqual(code, 1, stdout)
        assert.match(stdout, expected)
      }
      // either name of the brain's certificate
      ok(yield* run({ ...settings, SVC_SCHEDULER_BRAIN: `localhost:${port}` }, "check"))
    }))

  it.scoped("the commands of schedules are those of svc, over the brain's API", () =>
    Effect.gen(function*() {
      const { settings } = yield* visitor()
      const added = yield* run(settings, "schedules", "add", "nightly", "@daily", "--engine", "celery", "--task", "a.b")
      assert.match(ok(added), /^added nightly/)
      assert.include(ok(yield* run(settings, "schedules", "list")), "nightly")
      assert.include(ok(yield* run(settings, "export")), `"name": "nightly"`)
    }))
})
