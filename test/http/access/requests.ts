import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { auditExports, taskExports } from "../../../src/services/audit/ExportJobs/Kinds.ts"
import { freshAgent, longPoll } from "../../agent.ts"
import { freshKey, freshProject } from "../../brain.ts"
import { insertPath } from "../../searchablePaths.ts"
import { password, sessionOf } from "../people.ts"
import { call, type Request } from "./call.ts"
import { bearer, type Kind, type Person } from "./people.ts"
import type { Endpoint } from "./table.ts"
import {
  bulkJobIn,
  bulkRetryIn,
  channelOf,
  commandIn,
  deliveryOf,
  deployIn,
  exportJobIn,
  fireIn,
  freshEmail,
  hourly,
  invited,
  maintenance,
  maintenanceIn,
  memberOf,
  resetToken,
  ruleIn,
  savedViewOf,
  scheduleIn,
  subscriptionIn,
  telegram,
  userNotificationOf,
  type Values,
  type World
} from "./world.ts"

/** Who is going to send it: what they end or change of their own must be theirs. */
export interface Sender {
  readonly kind: Kind | "anonymous"
  readonly user_id?: string
  /** Where they come by a browser. */
  readonly person?: Person
}

/** The id of another session of the same person. */
const otherSession = ({ browser, user_id }: Person) =>
  Effect.gen(function*() {
    yield* sessionOf(user_id)
    const { json } = yield* call({ method: "GET", path: "/api/v1/auth/sessions", headers: browser })
    const sessions = json as ReadonlyArray<{ readonly id: string; readonly is_current: boolean }> // as the API documents it
    return sessions.find(({ is_current }) => !is_current)?.id ?? ""
  })

const trustedDevice = ({ browser }: Person) =>
  Effect.map(
    call({ method: "POST", path: "/api/v1/auth/mfa/trusted-devices", headers: browser }),
    ({ json }) => String(json.id)
  )

const newUser = Effect.map(freshKey(), ({ user_id }) => user_id)

/** For each endpoint a request that has nothing wrong with it: who may, is let through. */
export const makeRequests = ({ here, people }: World) =>
  Effect.gen(function*() {
    const { agent_id } = here.agent
    const poll = longPoll({ base: "", ...here.agent, project_id: here.project.id })
    const owner = yield* people.person("stranger")
    const task = { agent_id, engine: "celery", task_id: here.things.task_id }
    const worker = { agent_id, worker_name: "w@box" }

    const cancelledRetry = yield* bulkRetryIn(here.project, "cancelled")

    /** By route below /api/v1. */
    const bodies: Readonly<Record<string, () => unknown>> = {
      "POST /setup/complete": () => ({ token: "no such setup token", email: freshEmail(), password }),
      "POST /auth/login": () => ({ email: owner.email, password }),
      "PATCH /auth/me": () => ({ display_name: "Somebody" }),
      "POST /auth/change-password": () => ({ current_password: password, new_password: randomUUID() }),
      "POST /auth/reauthenticate": () => ({ password }),
      "POST /auth/oidc/backchannel-logout": () => new URLSearchParams({ logout_token: "no such token" }),
      "POST /auth/oidc/link": () => ({}),
      "PATCH /auth/mfa/trusted-devices/{device_id}": () => ({ label: "label" }),
      "POST /auth/password-reset/request": () => ({ email: freshEmail() }),
      "POST /api-keys": () => ({ name: "key" }),
      "PATCH /api-keys/{key_id}": () => ({ allowed_cidrs: null }),
      "POST /users": () => ({ email: freshEmail(), password }),
      "PATCH /users/{user_id}": () => ({ display_name: "Somebody" }),
      "POST /users/{user_id}/password": () => ({ new_password: randomUUID() }),
      "POST /projects": () => ({ slug: `new-${randomUUID()}`, name: "new" }),
      "PATCH /admin/mfa-policy": () => ({ required_for_all: false }),
      "PATCH /projects/{slug}": () => ({ name: "name" }),
      "PATCH /projects/{slug}/memberships/{membership_id}": () => ({ role: "operator" }),
      "POST /projects/{slug}/invitations": () => ({ email: freshEmail() }),
      "POST /projects/{slug}/audit/export-jobs": () => ({ format: "json" }),
      "POST /projects/{slug}/task-export-jobs": () => ({ format: "json" }),
      "POST /projects/{slug}/agents": () => ({ name: `agent ${randomUUID()}` }),
      "PATCH /projects/{slug}/agents/{agent_id}": () => ({ namespace: null }),
      "POST /agent/events": () => ({ frames: [poll.seal("agent_status", {})] }),
      "POST /projects/{slug}/schedules": () => ({ ...hourly, name: `hourly ${randomUUID()}` }),
      "POST /projects/{slug}/schedules:import": () => ({ schedules: [] }),
      "POST /projects/{slug}/schedules:diff": () => ({ schedules: [] }),
      "POST /projects/{slug}/schedules:preview": () => ({ kind: "cron", expression: "@hourly" }),
      "POST /projects/{slug}/schedules/native-operations": () => ({
        request_id: randomUUID(),
        scheduler: "celery-beat",
        operation: "create",
        definition: { name: `hourly ${randomUUID()}`, task_name: "shop.report", kind: "interval", expression: "3600" }
      }),
      "PATCH /projects/{slug}/issues/{fingerprint}": () => ({ triage: "resolved" }),
      "PATCH /projects/{slug}/schedules/{schedule_id}": () => ({ queue: "reports" }),
      "POST /projects/{slug}/schedules/{schedule_id}/legacy-fire-grant": () => ({
        observed_control_token: randomUUID(),
        allow: false
      }),
      "POST /projects/{slug}/automation/rules": () => ({ name: "tell us", trigger: "task.failed" }),
      "POST /projects/{slug}/automation/rules:backtest": () => ({
        rule: { name: "try", trigger: "task.failed" },
        days: 1
      }),
      "PATCH /projects/{slug}/automation/rules/{rule_id}": () => ({ name: "tell all" }),
      "PUT /projects/{slug}/automation/settings": () => ({ automation_enabled: true }),
      "POST /projects/{slug}/approvals/{approval_id}/reject": () => ({ reason: "wrong queue" }),
      "POST /projects/{slug}/deploys": () => ({ version: `v${randomUUID()}` }),
      "POST /projects/{slug}/searchable-paths": () => ({ task_name: "shop.pay", path: "kwargs.order" }),
      "POST /projects/{slug}/saved-views": () => ({ name: `view ${randomUUID()}`, filters: {} }),
      "PUT /projects/{slug}/saved-views/{view_id}": () => ({ name: `view ${randomUUID()}`, filters: {} }),
      "POST /projects/{slug}/notifications/defaults": () => ({ trigger: "task.failed" }),
      "PATCH /projects/{slug}/notifications/defaults/{default_id}": () => ({ cooldown_seconds: 60 }),
      "POST /projects/{slug}/notifications/maintenance-windows": () => maintenance,
      "PATCH /projects/{slug}/notifications/maintenance-windows/{window_id}": () => ({ name: "Upgrade" }),
      "POST /projects/{slug}/notifications/alerts/{alert_id}/acknowledge": () => ({ acknowledged: true }),
      "POST /projects/{slug}/notifications/alerts/{alert_id}/snooze": () => ({ until: null }),
      "POST /alert-links/preview": () => ({ token: "no such link" }),
      "POST /alert-links/act": () => ({ token: "no such link" }),
      "POST /user/subscriptions": () => ({ project_id: here.project.id, trigger: "task.failed" }),
      "PATCH /user/subscriptions/{sub_id}": () => ({ cooldown_seconds: 60 }),
      "POST /projects/{slug}/notifications/channels": () => telegram,
      "POST /projects/{slug}/notifications/channels/test": () => ({ type: telegram.type, config: telegram.config }),
      "PATCH /projects/{slug}/notifications/channels/{channel_id}": () => ({ name: "name" }),
      "POST /user/channels": () => telegram,
      "POST /user/channels/import_from_project": () => ({
        project_slug: "no-such-project",
        channel_id: randomUUID()
      }),
      "POST /user/channels/test": () => ({ type: telegram.type, config: telegram.config }),
      "PATCH /user/channels/{channel_id}": () => ({ name: "name" }),
      "POST /projects/{slug}/tasks/bulk-delete": () => ({ task_ids: [randomUUID()] }),
      "POST /projects/{slug}/commands/retry-task": () => task,
      "POST /projects/{slug}/commands/cancel-task": () => task,
      "POST /projects/{slug}/commands/requeue-dead-letter": () => task,
      "POST /projects/{slug}/commands/bulk-retry": () => ({
        agent_id,
        filter: { task_ids: [task.task_id], engine: "celery" }
      }),
      // of no task, so that it has ended at once: a project has at most 20 that have not
      "POST /projects/{slug}/bulk-retry-requests": () => ({
        idempotency_key: randomUUID(),
        filter: { name: "no such task" }
      }),
      "POST /projects/{slug}/bulk-retry-requests:preview": () => ({}),
      "POST /projects/{slug}/bulk-jobs:delete": () => ({ filter_name: "no such task" }),
      "POST /projects/{slug}/bulk-jobs:cancel": () => ({ filter_name: "no such task" }),
      "POST /projects/{slug}/commands/purge-queue": () => ({ agent_id, queue: "celery" }),
      "POST /projects/{slug}/commands/pause-queue": () => ({ agent_id, queue: "celery", reason: "maintenance" }),
      "POST /projects/{slug}/commands/resume-queue": () => ({ agent_id, queue: "celery" }),
      "PUT /projects/{slug}/queues/{engine}/{name}/target": () => ({ start_within_seconds: 30 }),
      "POST /projects/{slug}/commands/restart-worker": () => worker,
      "POST /projects/{slug}/commands/pool-resize": () => ({ ...worker, delta: 1 }),
      "POST /projects/{slug}/commands/add-consumer": () => ({ ...worker, queue: "celery" }),
      "POST /projects/{slug}/commands/cancel-consumer": () => ({ ...worker, queue: "celery" }),
      "POST /projects/{slug}/commands/rate-limit": () => ({ ...worker, task_name: "shop.pay", rate: "10/m" })
    }

    const queries: Values = {
      "GET /projects/{slug}/dead-letters": "?engine=celery",
      // all deliveries would include those that other calls have just made
      "DELETE /projects/{slug}/notifications/deliveries": "?before=2001-01-01T00:00:00Z",
      "GET /projects/{slug}/task-differences": "?name=shop.pay",
      "GET /projects/{slug}/task-matches": `?ids=${randomUUID()}`,
      "GET /projects/{slug}/events": `?engine=celery&task_id=${task.task_id}`,
      "GET /agent/commands": "?wait=0"
    }

    /** What the call ends or uses up is made for it alone. */
    const makeParts = Effect.fnUntraced(function*(name: string, { kind, person, user_id }: Sender) {
      const code = person?.recoveryCodes?.[0] ?? "none"
      switch (name) {
        case "POST /auth/mfa/enroll-complete":
          return { body: { code: person?.appCode ?? "000000" } }
        case "POST /auth/mfa/verify":
          return { body: { code } }
        case "POST /auth/mfa/disable":
          return { body: { password, code } }
        case "PATCH /auth/mfa/trusted-devices/{device_id}":
        case "POST /auth/mfa/trusted-devices/{device_id}/revoke":
          return {
            path: { device_id: person?.recoveryCodes === undefined ? randomUUID() : yield* trustedDevice(person) }
          }
        case "POST /auth/sessions/{session_id}/revoke":
          return { path: { session_id: person === undefined ? randomUUID() : yield* otherSession(person) } }
        case "POST /auth/password-reset/confirm":
          return { body: { token: yield* resetToken, new_password: randomUUID() } }
        case "PATCH /api-keys/{key_id}":
        case "DELETE /api-keys/{key_id}":
          return { path: { key_id: yield* people.keyOf(user_id ?? (yield* newUser)) } }
        case "GET /users/{user_id}":
        case "PATCH /users/{user_id}":
        case "DELETE /users/{user_id}":
        case "POST /users/{user_id}/password":
          return { path: { user_id: yield* newUser } }
        case "DELETE /projects/{slug}":
          return kind === "global admin" ? { path: { slug: (yield* freshProject()).slug } } : {}
        case "POST /projects/{slug}/memberships":
          return { body: { user_id: yield* newUser, role: "viewer" } }
        case "PATCH /projects/{slug}/memberships/{membership_id}":
        case "DELETE /projects/{slug}/memberships/{membership_id}":
          return { path: { membership_id: yield* memberOf(here.project) } }
        case "DELETE /projects/{slug}/invitations/{invitation_id}":
          return { path: { invitation_id: (yield* invited(here.project)).invitation_id } }
        case "POST /invitations/preview":
          return { body: { token: (yield* invited(here.project)).token } }
        case "POST /invitations/accept":
          return { body: { token: (yield* invited(here.project)).token, display_name: "A Guest", password } }
        case "DELETE /projects/{slug}/schedules/{schedule_id}":
          return { path: { schedule_id: yield* scheduleIn(here.project) } }
        case "POST /projects/{slug}/schedules/{schedule_id}/resolve-terminal-fire": {
          const { command_id, fire_id, observed_control_token, schedule_id } = yield* fireIn(here.project, "timed out")
          const decision = { expected_status: "timeout", work_may_have_executed: true }
          return { path: { schedule_id }, body: { command_id, fire_id, observed_control_token, ...decision } }
        }
        case "POST /projects/{slug}/schedules/{schedule_id}/resolve-legacy-evidence": {
          const { fire_id, id, observed_control_token, schedule_id } = yield* fireIn(here.project, "waiting")
          const evidence = { source_evidence_kind: "fire", source_evidence_id: id, work_may_have_executed: false }
          return { path: { schedule_id }, body: { fire_id, observed_control_token, ...evidence } }
        }
        case "POST /projects/{slug}/notifications/channels/import_from_user":
          return {
            body: { user_channel_id: user_id === undefined ? randomUUID() : yield* channelOf({ user_id }) }
          }
        case "DELETE /projects/{slug}/notifications/channels/{channel_id}":
          return { path: { channel_id: yield* channelOf({ project_id: here.project.id }) } }
        case "PATCH /user/channels/{channel_id}":
        case "DELETE /user/channels/{channel_id}":
        case "POST /user/channels/{channel_id}/test":
          return user_id === undefined ? {} : { path: { channel_id: yield* channelOf({ user_id }) } }
        case "GET /projects/{slug}/notifications/deliveries/{delivery_id}":
        case "POST /projects/{slug}/notifications/deliveries/{delivery_id}/resend":
          return { path: { delivery_id: yield* deliveryOf({ project_id: here.project.id }) } }
        case "GET /user/deliveries/{delivery_id}":
        case "POST /user/deliveries/{delivery_id}/resend":
          return user_id === undefined ? {} : { path: { delivery_id: yield* deliveryOf({ user_id }) } }
        case "POST /user/notifications/{notification_id}/read":
          return user_id === undefined
            ? {}
            : { path: { notification_id: yield* userNotificationOf(here.project, user_id) } }
        case "DELETE /projects/{slug}/automation/rules/{rule_id}":
          return { path: { rule_id: yield* ruleIn(here.project) } }
        case "DELETE /projects/{slug}/searchable-paths/{path_id}":
          return {
            path: { path_id: yield* Effect.orDie(insertPath(here.project.id, "mail", `result.${randomUUID()}`)) }
          }
        case "PUT /projects/{slug}/saved-views/{view_id}":
        case "DELETE /projects/{slug}/saved-views/{view_id}":
          return user_id === undefined ? {} : { path: { view_id: yield* savedViewOf(here.project, user_id) } }
        case "GET /projects/{slug}/task-export-jobs/{job_id}":
        case "GET /projects/{slug}/task-export-jobs/{job_id}/download":
        case "DELETE /projects/{slug}/task-export-jobs/{job_id}":
          return { path: { job_id: yield* exportJobIn(here.project, taskExports, user_id) } }
        case "DELETE /projects/{slug}/audit/export-jobs/{job_id}":
          return { path: { job_id: yield* exportJobIn(here.project, auditExports, user_id) } }
        case "PATCH /user/subscriptions/{sub_id}":
        case "DELETE /user/subscriptions/{sub_id}":
          return user_id === undefined ? {} : { path: { sub_id: yield* subscriptionIn(here.project, user_id) } }
        case "DELETE /projects/{slug}/notifications/defaults/{default_id}":
          return { path: { default_id: yield* subscriptionIn(here.project, null) } }
        case "DELETE /projects/{slug}/deploys/{deploy_id}":
          return { path: { deploy_id: yield* deployIn(here.project) } }
        case "DELETE /projects/{slug}/notifications/maintenance-windows/{window_id}":
          return { path: { window_id: yield* maintenanceIn(here.project) } }
        case "DELETE /projects/{slug}/agents/{agent_id}":
          return { path: { agent_id: (yield* freshAgent(here.project)).agent_id } }
        case "POST /projects/{slug}/bulk-retry-requests/{request_id}/cancel":
          return { path: { request_id: cancelledRetry } }
        case "POST /projects/{slug}/bulk-jobs/{bulk_job_id}/stop":
          return { path: { bulk_job_id: yield* bulkJobIn(here.project) } }
        case "POST /projects/{slug}/commands/{command_id}/cancel":
          return { path: { command_id: yield* commandIn(here.project.slug, agent_id) } }
        default:
          return {}
      }
    })

    /** `instead` are other values of the path's parameters. */
    const request = Effect.fnUntraced(function*(endpoint: Endpoint, sender: Sender, instead: Values = {}) {
      const name = `${endpoint.method} ${endpoint.path.replace("/api/v1", "")}`
      const fresh: { readonly path?: Values; readonly body?: unknown } = yield* makeParts(name, sender)
      const values: Values = { ...here.things, ...fresh.path, ...instead }
      const path = endpoint.path.replace(
        /\{([a-z_]+)\}/g,
        (_, parameter: string) => encodeURIComponent(values[parameter] ?? "")
      )
      const body = fresh.body ?? bodies[name]?.()
      const filled: Request = { method: endpoint.method, path: `${path}${queries[name] ?? ""}`, body }
      return filled
    })

    return { request, agent: { ...bearer(here.agent.token), "x-svc-session-nonce": poll.nonce } }
  })

export type Requests = Effect.Effect.Success<ReturnType<typeof makeRequests>>
