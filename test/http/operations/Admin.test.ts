import { HttpClient, HttpClientRequest } from "@effect/platform"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { version } from "../../../src/domain/kernel/Version.ts"
import { client } from "../../../src/http/Client.ts"
import { settingDefinitions } from "../../../src/services/kernel/Settings.ts"
import { serverOn } from "../../brain.ts"
import { serving } from "../../cli/svc.ts"
import { svcHere } from "../../cli/svcHere.ts"
import { clientOfGlobalAdmin } from "../../client.ts"
import { temporaryHome } from "../../databases.ts"
import { laneEngines } from "../../engines.ts"
import { makeReleaseFeed } from "../../releaseFeed.ts"
import { until } from "../../until.ts"

const planted = "planted-secret-of-at-least-32-bytes-000"

describe.each(laneEngines)("what a global admin sees of the installation on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.effect("lists every setting with its source", () =>
      Effect.gen(function*() {
        const { admin } = yield* clientOfGlobalAdmin
        const { settings, svc_home } = yield* admin.settings()
        assert.match(svc_home, /^\//)
        assert.sameMembers(settings.map(({ name }) => name), Object.values(settingDefinitions).map(({ name }) => name))
        const one = settings.find(({ name }) => name === "SVC_PUBLIC_URL")
        assert.deepInclude(one, { value: "http://localhost", source: "option", is_secret: false })
        for (const { is_secret, name, value } of settings) {
          assert.strictEqual(
            is_secret,
            Object.values(settingDefinitions).find((setting) => setting.name === name)?.secret
          )
          if (is_secret) assert.include(["", "********"], value, name)
        }
      }))

    it.effect("says that there is no audit webhook, and which versions are known without a check", () =>
      Effect.gen(function*() {
        const { admin } = yield* clientOfGlobalAdmin
        const forwarder = yield* admin.auditForwarder()
        assert.deepInclude(forwarder, { enabled: false, sink_id: "none", lag_rows: null, process_sent_count: null })
        const snapshot = yield* admin.versions()
        assert.deepInclude(snapshot, { source: "program", fetched_at: null, generated_by: `svc ${version}` })
        assert.deepStrictEqual(snapshot.packages, { svc: { installed: version, latest: null, is_outdated: null } })
        assert.deepInclude(snapshot, { canonical_url: "", fetched_from: null })
        const refusal = yield* Effect.flip(admin.checkVersions())
        assert.deepInclude(refusal, { code: "version_check_disabled" })
        assert.include(JSON.stringify(refusal), "SVC_RELEASES_URL")
      }))
  })
})

/** A real program with an admin. */
const brain = (environment: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const home = yield* temporaryHome
    const settings = { SVC_HOME: home, ...environment }
    yield* svcHere(["bootstrap-admin", "--email", "ann@example.com", "--password-stdin"], settings, {
      input: "a long password\n"
    })
    const running = yield* serving(settings)
    return { running, settings }
  })

/** Signs in as a browser would; the calls of the group. */
const sessionAt = (url: string) =>
  Effect.promise(async () => {
    const login = await fetch(`${url}/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "ann@example.com", password: "a long password" })
    })
    const cookies = login.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "")
    const csrf = cookies.find((cookie) => cookie.includes("csrf"))?.split("=")[1] ?? ""
    return { cookie: cookies.join("; "), "x-csrf-token": csrf }
  }).pipe(
    Effect.flatMap((headers) =>
      client({ baseUrl: url, transform: HttpClient.mapRequest(HttpClientRequest.setHeaders(headers)) })
    ),
    Effect.map(({ admin }) => admin)
  )

const release = (version: string) => JSON.stringify({ version, tarball: "svc.tgz", sha512: "0".repeat(128) })

describe("the versions", () => {
  it.scopedLive("are those of the release feed, and stay known without it; another feed's do not", () =>
    Effect.gen(function*() {
      const feed = yield* makeReleaseFeed
      const { running, settings } = yield* brain({ SVC_RELEASES_URL: feed.url, SVC_METRICS_AUTH_TOKEN: planted })
      const admin = yield* sessionAt(running.url)
      const check = admin.checkVersions()
      const hostile = ["<html>", "[]", release("9.9.9; rm -rf /"), release("9.9.9").padEnd(70_000)]
      for (const document of hostile) {
        feed.document = document
        const failure = JSON.stringify(yield* Effect.flip(check))
        assert.include(failure, "version_check_failed")
        assert.include(failure, "(invalid_answer)")
      }
      feed.document = release("9.9.9")
      const checked = yield* check
      assert.deepStrictEqual(checked.packages, { svc: { installed: version, latest: "9.9.9", is_outdated: true } })
      assert.deepInclude(checked, { source: "feed", canonical_url: feed.url, fetched_from: feed.url })
      for (const { headers } of feed.requests) assert.notInclude(JSON.stringify(headers), planted)

      feed.document = ""
      yield* Effect.flip(check)
      const stored = yield* admin.versions()
      assert.deepStrictEqual(stored.packages, checked.packages)
      assert.strictEqual(stored.fetched_at, checked.fetched_at)

      yield* running.stop("SIGTERM")
      const elsewhere = yield* serving({ ...settings, SVC_RELEASES_URL: "http://127.0.0.1:9/svc.json" })
      const later = yield* sessionAt(elsewhere.url)
      assert.isNull((yield* later.versions()).packages["svc"]?.latest)
      assert.include(JSON.stringify(yield* Effect.flip(later.checkVersions())), "(offline)")
    }))
})

describe("the audit webhook's state", () => {
  it.scopedLive("counts what was delivered and what was dropped, and shows no secret", () =>
    Effect.gen(function*() {
      let responseStatus = 200
      const receiver = createServer((request, response) => {
        request.resume()
        request.on("end", () => response.writeHead(responseStatus).end())
      })
      yield* Effect.acquireRelease(
        Effect.async<void>((resume) => void receiver.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.sync(() => (receiver.closeAllConnections(), receiver.close()))
      )
      const { port } = receiver.address() as AddressInfo // it listens on a port
      const { running } = yield* brain({
        SVC_AUDIT_WEBHOOK_URL: `http://127.0.0.1:${port}/${planted}`,
        SVC_AUDIT_WEBHOOK_HMAC_SECRET: planted,
        SVC_NOTIFICATIONS_WEBHOOK_ALLOW_HTTP: "true",
        SVC_AUDIT_WEBHOOK_ALLOW_CIDRS: "127.0.0.1/32:*"
      })
      const admin = yield* sessionAt(running.url)
      const status = admin.auditForwarder()
      const sent = yield* until(status, (now) => (now.process_sent_count ?? 0) > 0 && now.lag_rows === 0)
      assert.deepInclude(sent, { enabled: true, cursor_initialised: true, consecutive_failures: 0, batch_size: 1 })
      assert.match(sent.sink_id, /^webhook-[0-9a-f]{16}$/)
      assert.isNotNull(sent.cursor_occurred_at)
      responseStatus = 500
      yield* sessionAt(running.url) // its login is a row
      const failed = yield* until(status, (now) => (now.process_failed_count ?? 0) > 0)
      assert.isAbove(failed.consecutive_failures, 0)
      assert.isNotNull(failed.cursor_id)
      assert.notInclude(JSON.stringify([yield* admin.settings(), failed]), planted)
    }))
})
