import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { system } from "../../../src/domain/kernel/Actor.ts"
import { ExportJobId } from "../../../src/domain/kernel/Id.ts"
import type { Project } from "../../../src/domain/kernel/Project.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { CreateScheduleRequest } from "../../../src/domain/schedules/Schedule.ts"
import { makeQueueSelection } from "../../../src/services/approvalGate/Subject.ts"
import { auditExports, type ExportKind } from "../../../src/services/audit/ExportJobs/Kinds.ts"
import { Invitations } from "../../../src/services/identity/Invitations.ts"
import { PasswordResets } from "../../../src/services/identity/PasswordResets.ts"
import { CurrentActor, CurrentProject } from "../../../src/services/kernel/CurrentActor.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { Vault } from "../../../src/services/kernel/keys/Keys.ts"
import { Schedules } from "../../../src/services/schedules/Schedules.ts"
import { freshAgent } from "../../agent.ts"
import { freshKey, freshProject } from "../../brain.ts"
import { insertExportJob } from "../../exportJobs.ts"
import { insertPath } from "../../searchablePaths.ts"
import { notificationOf } from "../../services/alerting/Notifications/notifications.ts"
import { insertTasks, storedTask } from "../../tasks.ts"
import { call } from "./call.ts"
import { bearer, makePeople } from "./people.ts"

export type Values = Readonly<Record<string, string>>

export const freshEmail = () => `guest-${randomUUID()}@example.com`

const asTest = Effect.provideService(CurrentActor, system("test"))

export const invited = (project: Project) =>
  Effect.gen(function*() {
    const invitations = yield* Invitations
    const { invitation, token } = yield* invitations.create({ email: freshEmail(), role: "viewer", ttl_days: 1 })
    return { invitation_id: invitation.id, token }
  }).pipe(asTest, Effect.provideService(CurrentProject, project), Effect.orDie)

export const memberOf = (project: Project) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { user_id } = yield* freshKey({ roles: { [project.id]: "viewer" } })
    const [membership] = yield* sql<{ id: string }>`SELECT id FROM memberships WHERE user_id = ${user_id}`
    return membership?.id ?? ""
  }).pipe(Effect.orDie)

/** A token that sets a person's password. */
export const resetToken = Effect.gen(function*() {
  const resets = yield* PasswordResets
  const { link } = yield* resets.link((yield* freshKey()).email)
  return new URL(link).searchParams.get("token") ?? ""
}).pipe(asTest, Effect.orDie)

/** A new pending command for the agent of the project. */
export const commandIn = (slug: string, agent_id: string) =>
  Effect.gen(function*() {
    const { token } = yield* freshKey({ isAdmin: true })
    const path = `/api/v1/projects/${slug}/commands/restart-worker`
    const { json } = yield* call({
      method: "POST",
      path,
      headers: bearer(token),
      body: { agent_id, worker_name: "w@box" }
    })
    return String(json.id)
  })

/** A valid channel, which is not called to check it. */
export const telegram = { name: "channel", type: "telegram", config: { bot_token: "1:token", chat_id: "2" } }

/** A channel of the project or of the user; of both only where paths of both are to find it. */
export const channelOf = (owner: { readonly project_id?: string; readonly user_id?: string }) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const [id, now] = [yield* Ids.next, yield* Timestamp.now]
    const channel = {
      id,
      project_id: owner.project_id ?? null,
      user_id: owner.user_id ?? null,
      name: telegram.name,
      type: telegram.type,
      sealed_config: yield* vault.seal("channels.sealed_config", id, JSON.stringify(telegram.config)),
      is_active: 1,
      is_verified: 0
    }
    yield* sql`INSERT INTO channels ${sql.insert({ ...channel, created_at: now, updated_at: now })}`
    return id
  }).pipe(Effect.orDie)

export const failureGroupIn = (project: Project) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [id, now] = [yield* Ids.next, yield* Timestamp.now]
    const fingerprint = id.replaceAll("-", "").slice(-16)
    const group = { fingerprint, engine: "celery", task_name: "shop.pay", sample_task_id: "t", sample_exception: null }
    const counts = { occurrences: 1, open_count: 1, recovered_count: 0 }
    yield* sql`INSERT INTO failure_groups ${
      sql.insert({ project_id: project.id, ...group, first_seen_at: now, last_seen_at: now, ...counts })
    }`
    return fingerprint
  }).pipe(Effect.orDie)

/** A delivery to a channel of the project or of the user, which was sent. */
export const deliveryOf = (owner: { readonly project_id?: string; readonly user_id?: string }) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [id, created_at] = [yield* Ids.next, yield* Timestamp.now]
    yield* sql`INSERT INTO deliveries ${
      sql.insert({
        id,
        project_id: owner.project_id ?? null,
        user_id: owner.user_id ?? null,
        channel_id: yield* channelOf(owner),
        channel_name: telegram.name,
        channel_type: telegram.type,
        trigger_key: "task.failed",
        notification: JSON.stringify(yield* notificationOf()),
        status: "sent",
        attempts: 1,
        sent_at: created_at,
        created_at
      })
    }`
    return id
  }).pipe(Effect.orDie)

/** An unread row of the user's inbox. */
export const userNotificationOf = (project: Project, user_id: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [id, created_at] = [yield* Ids.next, yield* Timestamp.now]
    const row = { id, user_id, project_id: project.id, trigger_key: "task.failed", reason: "subscription" }
    yield* sql`INSERT INTO user_notifications ${sql.insert({ ...row, title: "It fails", data: "{}", created_at })}`
    return id
  }).pipe(Effect.orDie)

/** A personal view of the user. */
export const savedViewOf = (project: Project, owner_id: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [id, now] = [yield* Ids.next, yield* Timestamp.now]
    const view = { id, project_id: project.id, owner_id, name: id, filters: "{}", is_shared: 0 }
    yield* sql`INSERT INTO saved_views ${sql.insert({ ...view, created_at: now, updated_at: now })}`
    return id
  }).pipe(Effect.orDie)

/** An approval that another person requested. */
export const approvalIn = (project: Project, status: "pending" | "rejected") =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [id, now] = [yield* Ids.next, yield* Timestamp.now]
    const requester = yield* freshKey({ roles: { [project.id]: "admin" } })
    const request = JSON.stringify({ agent_id: yield* Ids.next, queue: "celery", force: true, idempotency_key: null })
    const expires_at = Timestamp.addSeconds(now, 3600)
    yield* sql`INSERT INTO approvals ${
      sql.insert({
        id,
        project_id: project.id,
        kind: "purge_queue",
        summary: "Purge the queue celery",
        request,
        status,
        subject: JSON.stringify(makeQueueSelection("celery", {})),
        requested_by: requester.user_id,
        created_at: now,
        expires_at
      })
    }`
    return id
  }).pipe(Effect.orDie)

/** A subscription of the user; null: a default of the project. */
export const subscriptionIn = (project: Project, user_id: string | null) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [id, now] = [yield* Ids.next, yield* Timestamp.now]
    const hygiene = JSON.stringify({ notify_recovery: true, send_hours: null, escalate_after_minutes: null })
    const subscription = { id, project_id: project.id, user_id, trigger_key: "task.failed", filters: "{}", hygiene }
    yield* sql`INSERT INTO subscriptions ${
      sql.insert({
        ...subscription,
        in_app: 1,
        cooldown_seconds: 0,
        grouping: null,
        muted_until: null,
        is_active: 1,
        last_fired_at: null,
        created_at: now,
        updated_at: now
      })
    }`
    return id
  }).pipe(Effect.orDie)

/** An open alert of a default, or of the user's subscription. */
export const alertIn = (project: Project, user_id: string | null) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [id, now] = [yield* Ids.next, yield* Timestamp.now]
    const nothing = { engine: null, task_name: null, queue: null, fingerprint: null, task_id: null, worker: null }
    const messageFields = {
      first_sent_at: null,
      told_occurrences: 0,
      told_shared: "",
      not_before: null,
      ended_at: null
    }
    const details = {
      ...nothing,
      ...messageFields,
      detail: null,
      subject: { type: "task", id, name: "shop.pay" },
      tallies: { worker: {}, queue: {}, detail: {} },
      is_single: false,
      opened_at: now
    }
    yield* sql`INSERT INTO alerts ${
      sql.insert({
        id,
        project_id: project.id,
        subscription_id: yield* subscriptionIn(project, user_id),
        trigger_key: "task.failed",
        condition_key: id,
        status: "open",
        title: "shop.pay fails",
        occurrences: 1,
        unsent: 1,
        details: JSON.stringify(details),
        first_at: now,
        last_at: now,
        due_at: "2999-01-01T00:00:00.000000Z",
        messages: 0,
        created_at: now,
        updated_at: now
      })
    }`
    return id
  }).pipe(Effect.orDie)

export const maintenance = { name: "Upgrade", starts_at: "2999-01-01T00:00:00Z", ends_at: "2999-01-02T00:00:00Z" }

export const maintenanceIn = (project: Project) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [id, created_at] = [yield* Ids.next, yield* Timestamp.now]
    const times = { starts_at: "2999-01-01T00:00:00.000000Z", ends_at: "2999-01-02T00:00:00.000000Z" }
    yield* sql`INSERT INTO maintenance_windows ${
      sql.insert({ id, project_id: project.id, name: "Upgrade", ...times, created_by: null, created_at })
    }`
    return id
  }).pipe(Effect.orDie)

export const deployIn = (project: Project) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [id, now] = [yield* Ids.next, yield* Timestamp.now]
    yield* sql`INSERT INTO deploys ${
      sql.insert({ id, project_id: project.id, version: "v1", at: now, created_at: now })
    }`
    return id
  }).pipe(Effect.orDie)

/** A rule that only notifies. */
export const ruleIn = (project: Project) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [id, now] = [yield* Ids.next, yield* Timestamp.now]
    yield* sql`INSERT INTO automation_rules ${
      sql.insert({
        id,
        project_id: project.id,
        name: id,
        is_enabled: 1,
        dry_run: 1,
        trigger_key: "task.failed",
        conditions: "{}",
        actions: "[]",
        max_executions_per_window: 100,
        window_seconds: 60,
        cb_tripped: 0,
        cb_execution_count: 0,
        created_at: now,
        updated_at: now
      })
    }`
    return id
  }).pipe(Effect.orDie)

/** A valid definition. */
export const hourly = {
  name: "hourly",
  engine: "celery",
  kind: "cron",
  expression: "@hourly",
  task_name: "shop.report"
}

export const scheduleIn = (project: Project) =>
  Effect.gen(function*() {
    const schedules = yield* Schedules
    const definition = yield* Schema.decodeUnknown(CreateScheduleRequest)({ ...hourly, name: `hourly ${randomUUID()}` })
    return (yield* schedules.create({ ...definition, args: "[]", kwargs: "{}" })).schedule.id
  }).pipe(asTest, Effect.provideService(CurrentProject, project), Effect.orDie)

/** A fire without an outcome: of a command that timed out, or waiting without a command. */
export const fireIn = (project: Project, kind: "timed out" | "waiting") =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const now = yield* Timestamp.now
    const schedule_id = yield* scheduleIn(project)
    const [schedule] = yield* sql<
      { control_token: string }
    >`SELECT control_token FROM schedules WHERE id = ${schedule_id}`
    const [id, fire_id, command_id] = [yield* Ids.next, randomUUID(), yield* Ids.next]
    const isSent = kind === "timed out"
    if (isSent) {
      yield* sql`INSERT INTO commands ${
        sql.insert({
          id: command_id,
          project_id: project.id,
          action: "schedule.fire",
          target_type: "schedule",
          target_id: schedule_id,
          payload: "{}",
          status: "timeout",
          issued_at: now,
          timeout_at: now,
          completed_at: now
        })
      }`
    }
    yield* sql`INSERT INTO schedule_fires ${
      sql.insert({
        id,
        fire_id,
        project_id: project.id,
        schedule_id,
        engine: "celery",
        command_id: isSent ? command_id : null,
        status: isSent ? "terminal_timeout" : "buffered",
        scheduled_for: now,
        fired_at: now,
        definition_digest: "",
        expires_at: Timestamp.addSeconds(now, 3600),
        fence: 1
      })
    }`
    return { schedule_id, id, fire_id, command_id, observed_control_token: schedule?.control_token ?? "" }
  })

let exportCount = 0

/** A completed export with its file that this person created. Later ones have higher ids: a project keeps the newest files. */
export const exportJobIn = (project: Project, kind: ExportKind, user_id: string = randomUUID()) => {
  const serial = (exportCount++).toString(16).padStart(4, "0")
  const id = ExportJobId.make(`fffffffe-${serial}${randomUUID().slice(13)}`)
  return insertExportJob(project.id, { id, user_id, chunks: ["[]\n"], status: "completed" }, kind)
}

/** A bulk retry that has not ended: one of its tasks is left, or its command has no outcome. */
export const bulkRetryIn = (project: Project, control_state: "running" | "cancelled") =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const id = yield* Ids.next
    const now = yield* Timestamp.now
    yield* sql`INSERT INTO bulk_jobs ${
      sql.insert({
        id,
        project_id: project.id,
        action: "retry",
        idempotency_key: id,
        canonical_digest: "",
        plan_digest: "",
        filter: "{}",
        max: 1,
        capped: 0,
        engines: "[]",
        status: "running",
        control_state,
        total: 1,
        claimed: control_state === "cancelled" ? 1 : 0,
        unobserved: 0,
        succeeded: 0,
        failed: 0,
        unknown: 0,
        created_at: now,
        sealed_at: now,
        deadline_at: Timestamp.addSeconds(now, 3600)
      })
    }`
    return id
  }).pipe(Effect.orDie)

/** A bulk job that runs, and that no runner works on. */
export const bulkJobIn = (project: Project) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const id = yield* Ids.next
    const now = yield* Timestamp.now
    yield* sql`INSERT INTO bulk_jobs ${
      sql.insert({
        id,
        project_id: project.id,
        action: "delete",
        filter: JSON.stringify({ filter_name: "no such task", filter_until: now }),
        status: "running",
        total: null,
        claimed: 0,
        unobserved: 0,
        succeeded: 0,
        failed: 0,
        unknown: 0,
        cursors: "{}",
        created_at: now,
        sealed_at: now,
        as_of: now,
        deadline_at: Timestamp.addSeconds(now, 3600),
        resolved_at: now
      })
    }`
    return id
  }).pipe(Effect.orDie)

/** An operation that has ended, and a live stream of celery-beat that takes others. */
export const operationIn = (project: Project, agent_id: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const now = yield* Timestamp.now
    const [id, stream_id, schedule_id, command_id] = yield* Effect.all([Ids.next, Ids.next, Ids.next, Ids.next])
    const ids = { project_id: project.id, stream_id, epoch_uuid: randomUUID(), epoch_number: 1 }
    yield* sql`INSERT INTO schedule_streams ${
      sql.insert({
        ...ids,
        agent_id,
        scheduler: "celery-beat",
        worker_id: "w",
        session_id: "s",
        adapter_instance_id: "a",
        accepted_sequence: 1,
        schedule_count: 0,
        status: "live",
        capabilities: JSON.stringify(["create", "external_schedule_mutation_v1"]),
        activated_at: Timestamp.addSeconds(now, 3600), // the session of a stream must be known within 30 s
        created_at: now
      })
    }`
    yield* sql`INSERT INTO schedule_operations ${
      sql.insert({
        ...ids,
        id,
        schedule_id,
        command_id,
        operation: "disable",
        source_key: "dcb:1",
        status: "succeeded",
        expected_sequence: 1,
        desired_is_enabled: 0,
        created_at: now,
        updated_at: now,
        ended_at: now
      })
    }`
    return id
  }).pipe(Effect.orDie)

/** The queue that `name` names, since names of tasks and of queues have one parameter. */
export const queueIn = (project: Project) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const created_at = yield* Timestamp.now
    yield* sql`INSERT INTO queues ${
      sql.insert({ id: yield* Ids.next, project_id: project.id, engine: "celery", name: "shop.pay", created_at })
    }`
  }).pipe(Effect.orDie)

const workerIn = (project: Project) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const now = yield* Timestamp.now
    const id = yield* Ids.next
    const counts = { active_tasks: 0, processed: 0, failed: 0, succeeded: 0, retried: 0 }
    const names = { engine: "celery", name: "w@box", state: "online", queues: "[]", metadata: "{}" }
    yield* sql`INSERT INTO workers ${
      sql.insert({ id, project_id: project.id, ...names, ...counts, created_at: now, updated_at: now })
    }`
    return id
  }).pipe(Effect.orDie)

/** A new project with one of everything that a path can name. */
const furnished = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const project = yield* freshProject()
  const agent = yield* freshAgent(project)
  yield* Effect.orDie(sql`UPDATE agents SET engine_adapters = '["celery"]' WHERE id = ${agent.agent_id}`)
  const task = storedTask(project.id, Date.now(), { state: "failure" })
  yield* insertTasks([task])
  yield* queueIn(project)
  const things: Values = {
    slug: project.slug,
    engine: "celery",
    task_id: task.task_id,
    agent_id: agent.agent_id,
    worker_id: yield* workerIn(project),
    command_id: yield* commandIn(project.slug, agent.agent_id),
    schedule_id: yield* scheduleIn(project),
    operation_id: yield* operationIn(project, agent.agent_id),
    request_id: yield* bulkRetryIn(project, "running"),
    bulk_job_id: yield* bulkJobIn(project),
    job_id: yield* exportJobIn(project, auditExports),
    membership_id: yield* memberOf(project),
    invitation_id: (yield* invited(project)).invitation_id,
    rule_id: yield* ruleIn(project),
    view_id: yield* savedViewOf(project, (yield* freshKey()).user_id),
    default_id: yield* subscriptionIn(project, null),
    sub_id: yield* subscriptionIn(project, (yield* freshKey()).user_id),
    identity_id: yield* Ids.next,
    approval_id: yield* approvalIn(project, "rejected"),
    deploy_id: yield* deployIn(project),
    path_id: yield* Effect.orDie(insertPath(project.id, "shop.pay", "kwargs.order")),
    window_id: yield* maintenanceIn(project),
    channel_id: yield* channelOf({ project_id: project.id }),
    alert_id: yield* alertIn(project, null),
    fingerprint: yield* failureGroupIn(project),
    name: "shop.pay",
    delivery_id: yield* deliveryOf({ project_id: project.id }),
    notification_id: yield* userNotificationOf(project, (yield* freshKey()).user_id)
  }
  return { project, agent, things, row_id: task.id }
})

/** The project of all paths, and another one. */
export const makeWorld = Effect.gen(function*() {
  const here = yield* furnished
  const there = yield* furnished
  return { here, there, people: yield* makePeople(here.project, there.project) }
})

export type World = Effect.Effect.Success<typeof makeWorld>
