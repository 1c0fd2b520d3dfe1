import { SqlClient } from "@effect/sql"
import { hash } from "argon2"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { generateSync } from "otplib"
import { system } from "../../src/domain/kernel/Actor.ts"
import type { Project } from "../../src/domain/kernel/Project.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { auditExports, taskExports } from "../../src/services/audit/ExportJobs/Kinds.ts"
import { Invitations } from "../../src/services/identity/Invitations.ts"
import { PasswordResets } from "../../src/services/identity/PasswordResets.ts"
import { CurrentActor, CurrentProject } from "../../src/services/kernel/CurrentActor.ts"
import * as Ids from "../../src/services/kernel/Ids.ts"
import { Vault } from "../../src/services/kernel/keys/Keys.ts"
import { freshAgent, longPoll } from "../agent.ts"
import { baseUrl, freshKey, freshProject, request } from "../brain.ts"
import { insertPath } from "../searchablePaths.ts"
import { insertTasks, storedTask } from "../tasks.ts"
import {
  alertIn,
  approvalIn,
  bulkJobIn,
  bulkRetryIn,
  channelOf,
  deliveryOf,
  deployIn,
  exportJobIn,
  failureGroupIn,
  fireIn,
  maintenanceIn,
  operationIn,
  queueIn,
  ruleIn,
  savedViewOf,
  subscriptionIn,
  telegram,
  userNotificationOf
} from "./access/world.ts"
import type { Operation } from "./operations.ts"
import { fromElsewhere, password, sessionOf } from "./people.ts"

let createdCount = 0

/** In one transaction: each commit of SQLite waits for the disk. */
export const together = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.orDie(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(self)))

/** Once: it takes time. */
const hashed = hash(password)

/** The TOTP secret of every person with a second factor here. */
const mfaSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

/** A signed-in admin with a session, an API key and a trusted device to name, and an enrolment that waits for its code. */
const browsing = (isEnrolled: boolean) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const { email, user_id: id } = yield* freshKey({ isAdmin: true })
    const now = yield* Timestamp.now
    yield* sql`UPDATE users SET password_hash = ${yield* Effect.promise(() => hashed)} WHERE id = ${id}`
    const browser = yield* sessionOf(id)
    const [named] = yield* sql<{ session_id: string; key_id: string }>`
    SELECT s.id AS session_id, k.id AS key_id FROM sessions s JOIN api_keys k ON k.user_id = s.user_id WHERE s.user_id = ${id}`
    const device = {
      id: yield* Ids.next,
      user_id: id,
      token_hash: yield* Ids.secret,
      label: "one",
      created_at: now,
      last_seen_at: now,
      expires_at: now
    }
    yield* sql`INSERT INTO trusted_devices ${sql.insert(device)}`
    const identity = {
      id: yield* Ids.next,
      user_id: id,
      issuer: "https://id.example.com",
      subject: id,
      created_at: now
    }
    yield* sql`INSERT INTO oidc_identities ${sql.insert(identity)}`
    const sealed = yield* vault.seal("users.mfa_secret", id, mfaSecret)
    yield* sql`UPDATE sessions SET proven_at = ${now} WHERE user_id = ${id}`
    yield* isEnrolled
      ? Effect.zipRight(
        sql`UPDATE users SET mfa_secret = ${sealed}, mfa_enrolled_at = ${now} WHERE id = ${id}`,
        sql`UPDATE sessions SET factor_at = ${now} WHERE user_id = ${id}`
      )
      : sql`UPDATE users SET mfa_pending_secret = ${sealed}, mfa_pending_at = ${now} WHERE id = ${id}`
    return {
      email,
      browser,
      session_id: named?.session_id ?? "",
      key_id: named?.key_id ?? "",
      device_id: device.id,
      identity_id: identity.id
    }
  }).pipe(together)

/** Tokens that work: of a password reset, and of an invitation; and another invitation to name. */
const links = (project: Project) =>
  Effect.gen(function*() {
    const invitations = yield* Invitations
    const resets = yield* PasswordResets
    const { email } = yield* freshKey()
    const invite = () =>
      invitations.create({ email: `guest-${++createdCount}-${randomUUID()}@example.com`, role: "viewer", ttl_days: 1 })
    const { token: invitation } = yield* invite()
    const named = yield* invite()
    const { link } = yield* resets.link(email)
    return { reset: new URL(link).searchParams.get("token") ?? "", invitation, invitation_id: named.invitation.id }
  }).pipe(Effect.provideService(CurrentActor, system("test")), Effect.provideService(CurrentProject, project), together)

/**
 * A project with one of everything that a path can name, people to call as, and a valid value for each parameter and
 * field by its name: so that what a request gets wrong is the only thing wrong with it. Without `signedIn` there is no
 * browser. `enrolled`: its person has a second factor. `openFire`: what keeps the schedule's fire from an outcome.
 */
export const world = Effect.fnUntraced(function*(
  { enrolled = false, openFire = "waiting", signedIn: isSignedIn }: {
    readonly signedIn: boolean
    readonly enrolled?: boolean
    readonly openFire?: "timed out" | "waiting"
  }
) {
  const sql = yield* SqlClient.SqlClient
  const project = yield* freshProject()
  const agent = yield* freshAgent(project)
  const now = yield* Timestamp.now
  yield* Effect.orDie(sql`UPDATE agents SET engine_adapters = '["celery"]' WHERE id = ${agent.agent_id}`)
  const tasks = [0, 1, 2].map((index) => storedTask(project.id, Date.now() + index, { state: "failure" }))
  yield* insertTasks(tasks)
  yield* queueIn(project)
  const worker_id = yield* Ids.next
  yield* Effect.orDie(sql`INSERT INTO workers ${
    sql.insert({
      id: worker_id,
      project_id: project.id,
      engine: "celery",
      name: "w@box",
      state: "online",
      queues: "[]",
      active_tasks: 0,
      processed: 0,
      failed: 0,
      succeeded: 0,
      retried: 0,
      metadata: "{}",
      created_at: now,
      updated_at: now
    })
  }`)
  const other = yield* freshKey()
  yield* freshKey({ roles: { [project.id]: "viewer" } })
  const [membership] = yield* Effect.orDie(
    sql<{ id: string }>`SELECT id FROM memberships WHERE project_id = ${project.id}`
  )
  const { token, user_id } = yield* freshKey({ isAdmin: true })
  const spare = yield* freshKey()
  const [spareKey] = yield* Effect.orDie(
    sql<{ id: string }>`UPDATE api_keys SET user_id = ${user_id} WHERE user_id = ${spare.user_id} RETURNING id`
  )
  const person = isSignedIn
    ? yield* browsing(enrolled)
    : {
      email: "nobody@example.com",
      browser: {},
      session_id: "",
      key_id: spareKey?.id ?? "",
      device_id: "",
      identity_id: ""
    }
  const poll = longPoll({ base: yield* baseUrl, ...agent, project_id: project.id })
  const asAgent = { authorization: `Bearer ${agent.token}`, "x-svc-session-nonce": poll.nonce }
  const restart = { agent_id: agent.agent_id, worker_name: "w@box" }
  const commands = yield* Effect.forEach(
    [0, 1, 2],
    () => request("POST", `/projects/${project.slug}/commands/restart-worker`, { token, body: restart })
  )

  const tokens = yield* links(project)
  const fire = yield* Effect.orDie(fireIn(project, openFire))

  const channel_id = yield* channelOf({ project_id: project.id, user_id })

  const path: Readonly<Record<string, string>> = {
    slug: project.slug,
    agent_id: agent.agent_id,
    channel_id,
    delivery_id: yield* deliveryOf({ project_id: project.id }),
    device_id: person.device_id,
    identity_id: person.identity_id,
    approval_id: yield* approvalIn(project, "pending"),
    command_id: commands[0]?.json.id,
    engine: "celery",
    invitation_id: tokens.invitation_id,
    key_id: person.key_id,
    membership_id: membership?.id ?? "",
    notification_id: yield* userNotificationOf(project, user_id),
    operation_id: yield* operationIn(project, agent.agent_id),
    request_id: yield* bulkRetryIn(project, "running"),
    bulk_job_id: yield* bulkJobIn(project),
    job_id: yield* exportJobIn(project, auditExports),
    schedule_id: fire.schedule_id,
    session_id: person.session_id,
    task_id: tasks[0]?.task_id ?? "",
    user_id: other.user_id,
    rule_id: yield* ruleIn(project),
    view_id: yield* savedViewOf(project, user_id),
    default_id: yield* subscriptionIn(project, null),
    sub_id: yield* subscriptionIn(project, user_id),
    deploy_id: yield* deployIn(project),
    path_id: yield* Effect.orDie(insertPath(project.id, "shop.pay", "kwargs.order")),
    window_id: yield* maintenanceIn(project),
    alert_id: yield* alertIn(project, null),
    fingerprint: yield* failureGroupIn(project),
    name: "shop.pay",
    worker_id
  }

  /** Instead of the project's, where the path is the caller's own, or of another kind. */
  const others: ReadonlyArray<readonly [within: string, name: string, id: string]> = [
    ["/user/", "delivery_id", yield* deliveryOf({ user_id })],
    ["/task-export-jobs/", "job_id", yield* exportJobIn(project, taskExports)]
  ]
  const idIn = (wholePath: string, name: string): string =>
    others.find(([within, other]) => other === name && wholePath.includes(within))?.[2] ?? path[name] ?? ""

  /** Valid values of body fields; some must be new each time. */
  const field = (name: string): unknown => {
    const values: Readonly<Record<string, unknown>> = {
      agent_id: agent.agent_id,
      allow: false,
      automation_enabled: true,
      channel_id,
      config: telegram.config,
      code: generateSync({ secret: mfaSecret }),
      command_id: fire.command_id,
      current_password: password,
      definition: { name: `new ${++createdCount}`, task_name: "shop.pay", kind: "interval", expression: "60" },
      delta: 1,
      until: null,
      ends_at: "2999-01-02T00:00:00Z",
      starts_at: "2999-01-01T00:00:00Z",
      project_id: project.id,
      trigger: "task.failed",
      display_name: "Somebody",
      email: `new-${++createdCount}@example.com`,
      engine: "celery",
      expected_status: "timeout",
      expression: "0 3 * * *",
      fire_id: fire.fire_id,
      kind: "cron",
      mode: "upsert",
      schedules: [],
      source_evidence_id: fire.id,
      source_evidence_kind: "fire",
      source_filter: "git",
      filter: { task_ids: [tasks[0]?.task_id], engine: "celery" },
      filter_state: "failure",
      filters: {},
      idempotency_key: randomUUID(),
      label: "label",
      logout_token: "no such token",
      format: "json",
      frames: [poll.seal("agent_status", {})],
      name: "name",
      namespace: "eu",
      operation: "create",
      request_id: randomUUID(),
      required_for_all: false,
      rule_id: path.rule_id,
      scheduler: "celery-beat",
      new_password: password,
      observed_control_token: fire.observed_control_token,
      password,
      path: "kwargs.order",
      project_slug: project.slug,
      queue: "celery",
      rate: "10/m",
      reason: "maintenance",
      role: "viewer",
      start_within_seconds: 30,
      slug: `new-${++createdCount}-${randomUUID().slice(0, 8)}`,
      task_id: tasks[0]?.task_id,
      task_name: "shop.pay",
      timezone: "Europe/Berlin",
      token: "no such setup token",
      type: telegram.type,
      version: "v1.4.2",
      user_channel_id: channel_id,
      user_id: other.user_id,
      work_may_have_executed: true,
      worker_name: "w@box"
    }
    return values[name]
  }

  /**
   * Who may: the agent, a signed-in admin, or a key of a global admin. Each call comes from an address of its own, and
   * where users are counted from one of several.
   */
  const credentials = ({ rule }: Operation): Readonly<Record<string, string>> => ({
    ...fromElsewhere(),
    ...(rule.caller === "agent"
      ? asAgent
      : rule.caller === "session"
      ? person.browser
      : rule.caller === "public"
      ? {}
      : { authorization: `Bearer ${token}` })
  })

  /** A body with all that it must have, or that the endpoint is good for nothing without. */
  const body = ({ body, path }: Operation): Readonly<Record<string, unknown>> => {
    const useful = [
      "config",
      "filter",
      "filter_state",
      ...(path.endsWith("/native-operations") ? ["definition"] : []),
      ...(path.endsWith("/rules:backtest") ? ["rule_id"] : []),
      ...(path.endsWith("/invitations/accept") ? ["display_name", "password"] : [])
    ].filter((name) => body !== null && name in body.fields)
    return {
      ...Object.fromEntries([...(body?.required ?? []), ...useful].map((name) => [name, field(name)])),
      ...(path.endsWith("/auth/login") && { email: person.email }),
      ...(body !== null && "filter" in body.fields && path.includes("/bulk-retry-requests") && { filter: {} }),
      ...(path.endsWith("/password-reset/confirm") && { token: tokens.reset }),
      ...(path.includes("/invitations/") && { token: tokens.invitation })
    }
  }

  /** A query with all that it must have, and none that waits. */
  const query = (operation: Operation): Readonly<Record<string, string>> =>
    operation.path.endsWith("/events") && operation.method === "GET"
      ? { engine: "celery", task_id: path.task_id ?? "" }
      : operation.path.endsWith("/dead-letters")
      ? { engine: "celery" }
      : operation.path.endsWith("/task-matches")
      ? { ids: String(tasks[0]?.id) }
      : operation.path.endsWith("/task-differences")
      ? { name: tasks[0]?.name ?? "" }
      : operation.query.includes("wait")
      ? { wait: "0" }
      : {}

  const target = (
    operation: Operation,
    pathValues: Readonly<Record<string, string>> = {},
    raw: Readonly<Record<string, string>> = {}
  ) => {
    const filled = operation.path.replace(
      /\{([a-z_]+)\}/g,
      (_, name: string) =>
        pathValues[name]
          ?? encodeURIComponent(idIn(operation.path, name))
    )
    const pairs = Object.entries({ ...query(operation), ...raw }).map(([name, value]) => `${name}=${value}`)
    return pairs.length === 0 ? filled : `${filled}?${pairs.join("&")}`
  }

  return { project, path, agent: asAgent, token, credentials, field, body, target }
})

export type World = Effect.Effect.Success<ReturnType<typeof world>>
