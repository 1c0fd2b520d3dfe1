import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { system } from "../../../src/domain/Actor.ts"
import type { Project } from "../../../src/domain/Project.ts"
import { CreateScheduleRequest } from "../../../src/domain/Schedule.ts"
import * as Timestamp from "../../../src/domain/Timestamp.ts"
import { CurrentActor, CurrentProject } from "../../../src/services/CurrentActor.ts"
import * as Ids from "../../../src/services/Ids.ts"
import { Invitations } from "../../../src/services/Invitations.ts"
import { PasswordResets } from "../../../src/services/PasswordResets.ts"
import { Schedules } from "../../../src/services/Schedules.ts"
import { freshAgent } from "../../agent.ts"
import { freshKey, freshProject } from "../../brain.ts"
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

/** A token that sets somebody's password. */
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

/** An operation that has ended, and a live stream of celery-beat that takes others. */
export const operationIn = (project: Project, agent_id: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const now = yield* Timestamp.now
    const [id, stream_id, schedule_id, command_id] = yield* Effect.all([Ids.next, Ids.next, Ids.next, Ids.next])
    const ids = { project_id: project.id, agent_id, stream_id, epoch_uuid: randomUUID(), epoch_number: 1 }
    yield* sql`INSERT INTO schedule_streams ${
      sql.insert({
        ...ids,
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
        scheduler: "celery-beat",
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
  const things: Values = {
    slug: project.slug,
    engine: "celery",
    task_id: task.task_id,
    agent_id: agent.agent_id,
    worker_id: yield* workerIn(project),
    command_id: yield* commandIn(project.slug, agent.agent_id),
    schedule_id: yield* scheduleIn(project),
    operation_id: yield* operationIn(project, agent.agent_id),
    membership_id: yield* memberOf(project),
    invitation_id: (yield* invited(project)).invitation_id
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
