import { NodeContext } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { type DoctorFacts, warningsOf } from "../../src/cli/operations/Warnings.ts"
import * as SettingsLayer from "../../src/layers/Settings.ts"
import { Settings, type SettingsShape } from "../../src/services/kernel/Settings.ts"

const calm: Omit<DoctorFacts, "settings"> = {
  dialect: "sqlite",
  revision: 1,
  head: 1,
  daysSinceBackup: 7,
  unknownNames: [],
  exposedFiles: [],
  freeBytes: 2 ** 40,
  openFilesLimit: 65_536,
  maxConnections: null,
  searchIndexTrouble: null,
  mailTrouble: null
}

const warnings = (overrides: Partial<SettingsShape>, facts: Partial<DoctorFacts> = {}) =>
  Effect.map(Settings, (settings) => warningsOf({ ...calm, settings, ...facts })).pipe(
    Effect.provide(SettingsLayer.layer({ SVC_HOME: "/nowhere" }, overrides)),
    Effect.provide(NodeContext.layer)
  )

const abroad = {
  host: "0.0.0.0",
  publicUrl: "https://svc.example.com",
  trustedProxies: ["10.0.0.0/8"],
  smtpUrl: Redacted.make("smtp://mail.example.com")
}

describe("svc doctor", () => {
  it.effect("has nothing to say about the defaults, nor about a brain behind its proxy", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* warnings({}), [])
      assert.deepStrictEqual(yield* warnings({}, { revision: null, daysSinceBackup: null }), [])
      assert.deepStrictEqual(yield* warnings(abroad), [])
    }))

  const cases: ReadonlyArray<readonly [string, Partial<SettingsShape>, Partial<DoctorFacts>]> = [
    ["these environment variables are not settings and have no effect: SVC_DATABSE_URL, SVC_PROT;", {}, {
      unknownNames: ["SVC_DATABSE_URL", "SVC_PROT"]
    }],
    ["migrates it at start", {}, { head: 2 }],
    ["no backup of this database is recorded: svc backup --output", {}, { daysSinceBackup: "never" }],
    ["the last backup is 8 days old: svc backup --output", {}, { daysSinceBackup: 8 }],
    ["lead them to localhost, which is their own machine", { ...abroad, publicUrl: "https://localhost" }, {}],
    ["requires PostgreSQL", { workers: 2 }, {}],
    ["only on this machine, at http://localhost:7700:", { ...abroad, publicUrl: "" }, {}],
    ["only on this machine, at http://localhost:80:", { ...abroad, publicUrl: "http://localhost:80" }, {}],
    ["will refuse to start", { ...abroad, publicUrl: "http://svc.example.com" }, {}],
    ["go over plain http", { ...abroad, environment: "development" }, {}],
    ["SVC_TRUSTED_PROXIES is empty", { ...abroad, trustedProxies: [] }, {}],
    ["svc auth reset-link", { ...abroad, smtpUrl: null }, {}],
    ["does not accept mail: EAUTH: 535", abroad, { mailTrouble: "EAUTH: 535" }],
    ["below two heartbeats", { agentHeartbeat: 20 }, {}],
    ["searches do not use it", {}, { searchIndexTrouble: "missing" }],
    ["was not finished", {}, { searchIndexTrouble: "unfinished" }],
    ["SVC_AUDIT_RETENTION_DAYS is below 90", { auditRetentionDays: 30 }, {}],
    ["SVC_AUDIT_WEBHOOK_URL is plain http", {
      auditWebhookUrl: Redacted.make("http://hooks.example/"),
      auditWebhookHmacSecret: Redacted.make("x".repeat(32))
    }, {}],
    ["others can read /home/svc.db", {}, { exposedFiles: ["/home/svc.db"] }],
    ["less than 1 GiB", {}, { freeBytes: 1000 }],
    ["raise ulimit -n", {}, { openFilesLimit: 1024 }],
    ["gives 100 connections", { workers: 8 }, { dialect: "pg", maxConnections: 100 }]
  ]
  it.effect.each(cases)("warns: %s", ([part, settings, facts]) =>
    Effect.gen(function*() {
      const messages = yield* warnings(settings, facts)
      assert.strictEqual(messages.length, 1, messages.join("\n"))
      assert.include(messages[0], part)
    }))
})
