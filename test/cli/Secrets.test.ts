import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { generateSync } from "otplib"
import { WebSocket } from "ws"
import { bodyOf } from "../bodies.ts"
import { temporaryHome } from "../databases.ts"
import { browserOf } from "../http/people.ts"
import { portOf } from "../ports.ts"
import { freshPostgres } from "../postgres.ts"
import { until } from "../until.ts"
import { serving, svc } from "./svc.ts"

/** A collector of traces, which also receives audit rows, refusing each: what it was sent, by path. */
const collector = Effect.gen(function*() {
  const traces: Array<string> = []
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      if (request.url === "/v1/traces") traces.push(body)
      response.writeHead(request.url === "/v1/traces" ? 200 : 500).end("{}")
    })
  })
  return { traces, base: `http://127.0.0.1:${yield* portOf(server)}` }
})

const secretOf = (what: string) => `${what}-${randomBytes(24).toString("hex")}`

it.scopedLive("no secret gets into the log, traces, responses, svc config show or the list of processes", () =>
  Effect.gen(function*() {
    const { base, traces } = yield* collector
    const planted = {
      database: secretOf("database"),
      webhook: secretOf("webhook"),
      hmac: secretOf("hmac"),
      key: randomBytes(32).toString("base64url"),
      nextKey: randomBytes(32).toString("base64url"),
      chain: randomBytes(32).toString("base64url"),
      metrics: secretOf("metrics"),
      password: secretOf("password"),
      smtp: secretOf("smtp"),
      sink: secretOf("sink"),
      signing: randomBytes(32).toString("base64url"),
      wrong: secretOf("wrong"),
      link: secretOf("link"),
      unknownKey: `svk_${randomBytes(32).toString("base64url")}`
    }
    const url = new URL((yield* freshPostgres).url)
    url.password = planted.database // which the server does not ask for
    const settings = {
      SVC_HOME: yield* temporaryHome,
      SVC_DATABASE_URL: url.toString(),
      SVC_SECRET_KEY: `${planted.key},${planted.nextKey}`,
      SVC_AUDIT_CHAIN_KEY: planted.chain,
      SVC_METRICS_AUTH_TOKEN: planted.metrics,
      SVC_AUDIT_WEBHOOK_URL: `${base}/${planted.webhook}?token=${planted.webhook}`,
      SVC_AUDIT_WEBHOOK_HMAC_SECRET: planted.hmac,
      SVC_AUDIT_SIGNING_KEY: planted.signing,
      SVC_AUDIT_CHECKPOINT_WEBHOOK_URLS: `${base}/${planted.sink}?token=${planted.sink}`,
      SVC_SMTP_URL: `smtp://mailer:${planted.smtp}@127.0.0.1:1`, // nothing listens there
      SVC_NOTIFICATIONS_WEBHOOK_ALLOW_HTTP: "true",
      SVC_AUDIT_WEBHOOK_ALLOW_CIDRS: "127.0.0.1:*",
      SVC_LOG_LEVEL: "debug",
      SVC_OTEL_EXPORTER_OTLP_ENDPOINT: base
    }
    const email = "ann@example.com"
    const bootstrap = yield* svc(["bootstrap-admin", "--email", email, "--password-stdin"], settings, {
      input: planted.password
    })
    assert.strictEqual(bootstrap.code, 0, bootstrap.stderr)
    const shown = yield* svc(["config", "show"], settings)
    const checked = yield* svc(["check"], settings)
    const brain = yield* serving(settings)
    const rotated = yield* svc(["secret-key", "rotate", "--activate"], settings)
    assert.strictEqual(rotated.code, 0, rotated.stderr)
    const keys = yield* svc(["secret-key", "show"], settings)
    assert.match(keys.stdout, /former: .*\n.*active: /)

    const refusals: Array<string> = []
    const call = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: unknown) =>
      Effect.promise(async () => {
        const raw = typeof body === "string" ? body : JSON.stringify(body)
        const response = await fetch(`${brain.url}/api/v1${path}`, {
          method,
          headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
          ...(body !== undefined && { body: raw })
        })
        const text = await response.text()
        if (!response.ok) refusals.push(text) // what succeeds may show a secret once, on purpose
        return {
          status: response.status,
          headers: response.headers,
          text,
          json: text.startsWith("{") ? JSON.parse(text) : undefined
        }
      })
    yield* call("POST", "/auth/login", {}, { email, password: planted.wrong })
    yield* call("POST", "/auth/login", {}, `{"email":"${email}","password":"${planted.wrong}`)
    yield* call("POST", "/auth/login", {}, { email: planted.wrong, password: 7 })
    yield* Effect.promise(() => fetch(`${brain.url}/setup?token=${planted.link}`))
    yield* call("POST", `/setup/complete?token=${planted.wrong}`, {}, {
      token: planted.wrong,
      email,
      display_name: "x",
      password: planted.wrong
    })
    const session = yield* call("POST", "/auth/login", {}, { email, password: planted.password })
    assert.strictEqual(session.status, 200)
    const browser = browserOf(session)
    const key = yield* call("POST", "/api-keys", browser, { name: "k", scopes: ["admin:*"] })
    const agent = yield* call("POST", "/projects/default/agents", { authorization: `Bearer ${key.json.token}` }, {
      name: "a"
    })
    assert.strictEqual(agent.status, 201)
    yield* call("GET", "/projects/default/tasks?limit=x", { authorization: `Bearer ${key.json.token}` })
    yield* call("GET", "/auth/me", { authorization: `Bearer ${planted.unknownKey}` })
    yield* call("GET", `/projects/${planted.wrong}`, {})
    yield* call("POST", "/auth/change-password", browser, {
      current_password: planted.wrong,
      new_password: planted.password
    })
    yield* call("PATCH", "/auth/me", { cookie: browser.cookie, "x-csrf-token": planted.wrong }, { display_name: "x" })
    yield* call("GET", "/agent/commands?wait=0", {
      authorization: `Bearer ${agent.json.token}`,
      "x-svc-session-nonce": "no nonce"
    })
    yield* call("POST", "/agent/events", {
      authorization: `Bearer ${agent.json.token}`,
      "x-svc-session-nonce": "n".repeat(22)
    }, { frames: [`{"secret":"${agent.json.hmac_secret}"}`] })
    const bearer = { authorization: `Bearer ${key.json.token}` }
    const invited = yield* call("POST", "/projects/default/invitations", bearer, {
      email: "bob@example.com",
      role: "viewer"
    })
    yield* call("POST", "/invitations/accept", {}, {
      token: invited.json.token,
      display_name: "x",
      password: planted.wrong.slice(0, 5)
    })
    yield* call("POST", "/auth/password-reset/request", {}, { email })
    const printed = yield* svc(["auth", "reset-link", email], settings)
    const reset = new URL(printed.stdout.trim()).searchParams.get("token") ?? ""
    yield* Effect.promise(() => fetch(`${brain.url}/reset-password?token=${reset}`))
    yield* call("POST", "/auth/password-reset/confirm", {}, { token: reset, new_password: "short" })
    const enrolling = yield* call("POST", "/auth/mfa/enroll-start", browser, {})
    const code = generateSync({ secret: enrolling.json.secret_base32 })
    const enrolled = yield* call("POST", "/auth/mfa/enroll-complete", browser, { code })
    assert.strictEqual(enrolled.status, 200, enrolled.text)
    const withFactor = browserOf(enrolled)
    const trusted = yield* call("POST", "/auth/mfa/trusted-devices", withFactor, { label: "mine" })
    assert.strictEqual(trusted.status, 201, trusted.text)
    yield* call("POST", "/auth/mfa/disable", withFactor, { code: "000000", password: planted.wrong })
    const outputs = yield* Effect.forEach(
      [["status"], ["doctor"], ["audit", "verify"], ["audit", "export-head"], ["config", "validate"]],
      (args) =>
        Effect.map(svc(args, settings), ({ stderr, stdout }) => [`svc ${args.join(" ")}`, stdout + stderr] as const)
    )
    yield* Effect.async<void>((resume) => {
      const socket = new WebSocket(`${brain.url.replace("http", "ws")}/ws/agent`, {
        headers: { authorization: `Bearer ${agent.json.token}` }
      })
      socket.on("open", () => socket.send(JSON.stringify({ secret: agent.json.hmac_secret })))
      socket.on("close", () => resume(Effect.void)).on("error", () => {})
    })
    const titles = [readFileSync(`/proc/${brain.pid}/cmdline`, "utf8"), readFileSync(`/proc/${brain.pid}/comm`, "utf8")]
    yield* until(Effect.sync(brain.stdout), (log) => log.includes("SVC_AUDIT_WEBHOOK_URL"))
    assert.strictEqual(yield* brain.stop("SIGTERM"), 0)
    yield* until(Effect.sync(() => traces.join("")), (text) => text.includes("Sessions.login"))

    const createdSecrets: Array<string> = [
      key.json.token,
      agent.json.token,
      agent.json.hmac_secret,
      ...browser.cookie.split("; ").map((cookie) => cookie.split("=")[1] ?? "")
    ]
    for (const response of [enrolled, trusted]) {
      createdSecrets.push(...browserOf(response).cookie.split("; ").map((cookie) => cookie.split("=")[1] ?? ""))
    }
    createdSecrets.push(invited.json.token, reset)
    for (const one of createdSecrets) assert.isAtLeast(one.length, 40)
    const recovery: ReadonlyArray<string> = enrolled.json.recovery_codes
    createdSecrets.push(enrolling.json.secret_base32, ...recovery)
    assert.isAtLeast(recovery.length, 8)
    const emitted = {
      ...Object.fromEntries(outputs),
      "the log": brain.stdout() + brain.stderr(),
      "the traces": traces.join("\n"),
      "refusals": refusals.join("\n"),
      "svc config show": shown.stdout + shown.stderr,
      "svc check": checked.stdout + checked.stderr,
      "svc secret-key": rotated.stdout + rotated.stderr + keys.stdout + keys.stderr,
      "svc bootstrap-admin": bootstrap.stdout + bootstrap.stderr,
      "the list of processes": titles.join("\n")
    }
    assert.include(emitted["the log"], "GET /api/v1/projects/default/tasks 422")
    assert.isAtLeast(refusals.length, 8)
    for (const [place, text] of Object.entries(emitted)) {
      for (const secret of [...Object.values(planted), ...createdSecrets]) {
        if (secret === planted.wrong) continue // a path may hold what a caller took for a name
        assert.notInclude(text, secret, place)
      }
    }
    assert.notInclude(emitted["the log"].replaceAll(`/projects/${planted.wrong}`, ""), planted.wrong)
  }))
