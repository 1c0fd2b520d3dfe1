import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Chunk, Effect, Option, Redacted, Stream } from "effect"
import type { Project } from "../../../src/domain/kernel/Project.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { Agents } from "../../../src/services/agents/Agents.ts"
import { Projects } from "../../../src/services/identity/Projects.ts"
import { ProjectsRepo } from "../../../src/services/identity/Projects/Repo.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { Hints } from "../../../src/services/kernel/sql/Database.ts"
import { freshKey, freshProject, serverOn } from "../../brain.ts"
import { assertRefused, clientOf, clientOfGlobalAdmin, clientWith } from "../../client.ts"
import { laneEngines } from "../../engines.ts"
import { insertTask } from "../../tasks.ts"
import { newProject } from "../payloads.ts"

const command = (project_id: string, agent_id: string, status: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const id = yield* Ids.next
    const now = yield* Timestamp.now
    yield* sql`INSERT INTO commands ${
      sql.insert({
        id,
        project_id,
        agent_id,
        action: "retry_task",
        target_type: "task",
        payload: "{}",
        sealed_payload: "sealed",
        status,
        issued_at: now,
        timeout_at: Timestamp.addSeconds(now, 60)
      })
    }`
    return id
  })

const statusesOf = (projectId: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ status: string; sealed_payload: string | null }>`
      SELECT status, sealed_payload FROM commands WHERE project_id = ${projectId} ORDER BY status`
    return rows.map(({ sealed_payload, status }) => [status, sealed_payload])
  })

/** The ids hinted on `access` until there are `count`. */
const hinted = (count: number) =>
  Effect.gen(function*() {
    const hints = yield* Hints
    return yield* Effect.forkScoped(
      Effect.map(Stream.runCollect(Stream.take(hints.subscribe("access"), count)), Chunk.toArray)
    )
  })

describe.each(laneEngines)("agents on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.effect("a name is taken once in a project", () =>
      Effect.gen(function*() {
        const [project, other] = [yield* freshProject(), yield* freshProject()]
        const { agents } = yield* clientOfGlobalAdmin
        const create = ({ slug }: Project, name: string) => agents.create({ path: { slug }, payload: { name } })
        yield* create(project, "shop")
        yield* assertRefused(create(project, "shop"), "agent_name_taken")
        yield* create(project, "Shop")
        yield* create(other, "shop")
      }))

    it.effect("its secrets are shown once; the token names it, and the secret is its key", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const agents = yield* Agents
        const project = yield* freshProject()
        const admin = yield* clientOf("admin", project)
        const path = { slug: project.slug }
        const { agent, hmac_secret, token } = yield* admin.agents.create({ path, payload: { name: "shop workers" } })
        assert.match(token, /^sva_[\w-]{43}$/)
        assert.lengthOf(Buffer.from(hmac_secret, "base64url"), 32)
        assert.deepInclude(agent, {
          name: "shop workers",
          state: "offline",
          engine_adapters: [],
          capabilities: {},
          is_outdated: false,
          version_status: null,
          last_seen_at: null,
          last_refused_reason: null
        })
        assert.deepStrictEqual(yield* admin.agents.list({ path, urlParams: {} }), [agent])
        const stored = JSON.stringify(yield* sql`SELECT * FROM agents WHERE id = ${agent.id}`)
        assert.notInclude(stored, token)
        assert.notInclude(stored, hmac_secret)

        const identity = Option.getOrThrow(yield* agents.findByToken(token))
        assert.deepInclude(identity, { agent_id: agent.id, project_id: project.id, name: "shop workers" })
        assert.deepStrictEqual(Redacted.value(identity.key), Buffer.from(hmac_secret, "base64url"))
        const key = yield* agents.getHmacKey(project.id, agent.id)
        assert.deepStrictEqual(Redacted.value(key), Redacted.value(identity.key))
        assert.deepStrictEqual(yield* agents.findByToken("sva_nobody"), Option.none())
        yield* sql`UPDATE projects SET is_active = 0 WHERE id = ${project.id}`
        assert.deepStrictEqual(yield* agents.findByToken(token), Option.none())
      }))

    it.effect("says what it last connected with, and what it lost", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const project = yield* freshProject()
        const { agents } = yield* clientOf("admin", project)
        const path = { slug: project.slug }
        const { agent } = yield* agents.create({ path, payload: { name: "a" } })
        const now = yield* Timestamp.now
        yield* sql`UPDATE agents SET protocol_version = '1', last_refused_at = ${now}, last_refused_reason = 'version',
          last_refused_detail = 'it speaks version 1' WHERE id = ${agent.id}`
        const [outdated] = yield* agents.list({ path, urlParams: {} })
        assert.deepInclude(outdated, {
          is_outdated: true,
          version_status: "outdated",
          last_refused_at: now,
          last_refused_reason: "version",
          last_refused_detail: "it speaks version 1"
        })
        yield* sql`UPDATE agents SET protocol_version = '2' WHERE id = ${agent.id}`
        const [current] = yield* agents.list({ path, urlParams: {} })
        assert.deepInclude(current, { is_outdated: false, version_status: "current" })
        for (const worker_id of ["w1", "w2"]) {
          yield* sql`INSERT INTO agent_health ${
            sql.insert({ agent_id: agent.id, worker_id, captured_at: now, telemetry_loss: `{"event_records":3}` })
          }`
        }
        const health = yield* agents.health({ path: { ...path, agent_id: agent.id } })
        assert.deepStrictEqual(health.map(({ worker_id }) => worker_id), ["w2", "w1"])
        assert.deepInclude(health[0], { captured_at: now, telemetry_loss: { event_records: 3 } })

        const outage = { since: Timestamp.addSeconds(now, -3600), until: Timestamp.addSeconds(now, -2400) }
        yield* sql`UPDATE agents SET first_connect_at = ${Timestamp.addSeconds(now, -86_400)} WHERE id = ${agent.id}`
        yield* sql`INSERT INTO presence_spans ${sql.insert({ since: Timestamp.addSeconds(now, -86_500), until: now })}`
        yield* sql`INSERT INTO agent_outages ${sql.insert({ agent_id: agent.id, ...outage })}`
        const uptime = yield* agents.uptime({ path })
        assert.strictEqual(Timestamp.secondsBetween(uptime.since, uptime.until), 86_400)
        assert.deepInclude(uptime.agents[0], {
          agent_id: agent.id,
          uptime: 0.986,
          known_seconds: 86_400,
          away_seconds: 1200,
          outages: [outage]
        })
      }))

    it.scoped("deleting it voids its token, ends its commands and notifies every replica", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const agents = yield* Agents
        const project = yield* freshProject()
        const admin = yield* clientOf("admin", project)
        const path = { slug: project.slug }
        const { agent, token } = yield* admin.agents.create({ path, payload: { name: "a" } })
        const other = yield* admin.agents.create({ path, payload: { name: "b" } })
        for (const status of ["pending", "dispatched", "completed"]) yield* command(project.id, agent.id, status)
        yield* command(project.id, other.agent.id, "pending")
        yield* sql`INSERT INTO agent_health ${sql.insert({ agent_id: agent.id, captured_at: yield* Timestamp.now })}`
        const hints = yield* hinted(1)
        const stranger = yield* freshProject()
        const foreign = yield* clientOf("admin", stranger)
        const one = { ...path, agent_id: agent.id }
        yield* assertRefused(foreign.agents.delete({ path: { ...one, slug: stranger.slug } }), "not_found")
        yield* admin.agents.delete({ path: one })
        yield* assertRefused(admin.agents.delete({ path: one }), "not_found")
        assert.deepStrictEqual(yield* agents.findByToken(token), Option.none())
        assert.deepStrictEqual(yield* statusesOf(project.id), [
          ["cancelled", null],
          ["cancelled", null],
          ["completed", "sealed"],
          ["pending", "sealed"]
        ])
        assert.deepStrictEqual(yield* hints, [agent.id])
        yield* assertRefused(admin.agents.health({ path: one }), "not_found")
      }))
  })

  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("deleting a project takes everything of it, and nothing of others", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const projects = yield* Projects
        const agents = yield* Agents
        const [project, kept] = [yield* freshProject(), yield* freshProject()]
        const global = yield* clientOfGlobalAdmin
        const bound = yield* clientWith(yield* freshKey({ isAdmin: true, boundTo: project.id }))
        const path = { slug: project.slug }
        const { agent, token } = yield* global.agents.create({ path, payload: { name: "a" } })
        yield* command(project.id, agent.id, "pending")
        yield* Effect.forEach([project.id, project.id, kept.id], (id) => insertTask(id))
        const owner = yield* clientOf("admin", project)
        yield* assertRefused(owner.project.delete({ path }), "forbidden")
        const hints = yield* hinted(2)
        yield* global.project.delete({ path })
        assert.deepStrictEqual(yield* hints, [project.id, agent.id])
        yield* assertRefused(global.project.get({ path }), "not_found")
        yield* assertRefused(bound.projects.list(), "unauthenticated") // bound keys go with it
        assert.deepStrictEqual(yield* agents.findByToken(token), Option.none())
        yield* global.projects.create({ payload: newProject(path) })

        yield* projects.sweepDeleted()
        const left = (table: string) =>
          Effect.map(sql<{ project_id: string }>`SELECT project_id FROM ${sql(table)}`, (rows) =>
            rows.map((row) => row.project_id))
        assert.deepStrictEqual(yield* left("tasks"), [kept.id])
        assert.deepStrictEqual(yield* left("commands"), [])
        assert.deepStrictEqual(yield* left("project_deletions"), [project.id], "events may still be on their way")
        yield* insertTask(project.id)
        yield* sql`UPDATE project_deletions SET created_at = ${Timestamp.addSeconds(yield* Timestamp.now, -601)}`
        // another replica may store a late event after this one has deleted the rows
        yield* Effect.provide(
          Effect.flatMap(ProjectsRepo, (repo) =>
            repo.deleteDeletion(project.id)),
          ProjectsRepo.layer
        )
        assert.deepStrictEqual(yield* left("project_deletions"), [project.id], "a row of the project is left")
        yield* projects.sweepDeleted()
        assert.deepStrictEqual(yield* left("tasks"), [kept.id])
        assert.deepStrictEqual(yield* left("project_deletions"), [])
      }))
  })
})
