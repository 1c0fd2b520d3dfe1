import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { types } from "../types.ts"
import type { AreaTables } from "./AreaTables.ts"

/** Agents, their processes, and the workers and queues that they report. */
export const agents: AreaTables = {
  names: [
    "agents",
    "agent_workers",
    "agent_health",
    "agent_outages",
    "presence_spans",
    "workers",
    "queues",
    "queue_depths",
    "queue_pauses"
  ],
  create: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { bigint, serial, text, uuid } = types(sql)

    yield* sql`CREATE TABLE agents (
      id ${uuid} PRIMARY KEY,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      token_hash ${text} NOT NULL UNIQUE,
      hmac_secret TEXT NOT NULL,
      state TEXT NOT NULL,
      protocol_version TEXT NOT NULL,
      framework_adapter TEXT NOT NULL,
      engine_adapters TEXT NOT NULL,
      scheduler_adapters TEXT NOT NULL,
      capabilities TEXT NOT NULL,
      host_name TEXT,
      agent_version TEXT,
      last_seen_at ${text},
      first_connect_at ${text},
      last_connect_at ${text},
      last_refused_at ${text},
      last_refused_reason TEXT,
      last_refused_detail TEXT,
      setup_advice TEXT NOT NULL DEFAULT '[]',
      -- whether agent.offline was recorded for the present time offline: once, and agent.online only after it
      offline_reported INTEGER NOT NULL DEFAULT 0,
      -- set by a person
      task_namespace ${text},
      -- chosen by the brain; null: not yet
      assigned_namespace ${text},
      -- the brokers of the agent's engines, JSON
      task_sources ${text},
      -- when the chosen namespace first kept a task apart
      ids_apart_at ${text},
      created_at ${text} NOT NULL,
      updated_at ${text} NOT NULL
    )`
    yield* sql`CREATE INDEX agents_project ON agents (project_id)`
    yield* sql`CREATE UNIQUE INDEX agents_name ON agents (project_id, name)`
    yield* sql`CREATE INDEX agents_unreported ON agents (updated_at) WHERE state = 'offline' AND offline_reported = 0`

    yield* sql`CREATE TABLE agent_workers (
      id ${uuid} PRIMARY KEY,
      agent_id ${uuid} NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      worker_id ${text} NOT NULL,
      role TEXT,
      framework TEXT,
      pid INTEGER,
      started_at ${text},
      engines TEXT NOT NULL,
      capabilities TEXT NOT NULL,
      state TEXT NOT NULL,
      session_id TEXT,
      last_seen_at ${text},
      last_connect_at ${text},
      created_at ${text} NOT NULL,
      updated_at ${text} NOT NULL,
      UNIQUE (agent_id, worker_id)
    )`
    yield* sql`CREATE INDEX agent_workers_project ON agent_workers (project_id, id)`
    // two, so that a heartbeat changes one: agents that have gone silent, and agents that have been away for long
    yield* sql`CREATE INDEX agent_workers_online ON agent_workers (last_seen_at) WHERE state = 'online'`
    yield* sql`CREATE INDEX agent_workers_offline ON agent_workers (last_seen_at) WHERE state = 'offline'`
    // an agent's connected processes, for each command
    yield* sql`CREATE INDEX agent_workers_of_agent ON agent_workers (agent_id) WHERE state = 'online'`

    yield* sql`CREATE TABLE agent_health (
      id ${serial},
      agent_id ${uuid} NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      worker_id TEXT,
      captured_at ${text} NOT NULL,
      telemetry_loss TEXT
    )`
    yield* sql`CREATE INDEX agent_health_agent ON agent_health (agent_id, id)`
    yield* sql`CREATE INDEX agent_health_captured ON agent_health (captured_at)`

    // The times in which no process of an agent was connected, from its last message on; `until` is null while it
    // lasts. Only those that were reported as agent.offline.
    yield* sql`CREATE TABLE agent_outages (
      agent_id ${uuid} NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      since ${text} NOT NULL,
      until ${text},
      PRIMARY KEY (agent_id, since)
    )`
    yield* sql`CREATE INDEX agent_outages_agent ON agent_outages (agent_id, until)`
    yield* sql`CREATE INDEX agent_outages_until ON agent_outages (until)`

    // The times in which a brain watched the agents. Between two of them none ran, or none reached the database: an
    // outage of an agent at such a time is unknown.
    yield* sql`CREATE TABLE presence_spans (
      since ${text} PRIMARY KEY NOT NULL,
      until ${text} NOT NULL
    )`

    yield* sql`CREATE TABLE workers (
      id ${uuid} PRIMARY KEY,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      engine ${text} NOT NULL,
      name ${text} NOT NULL,
      hostname TEXT,
      pid INTEGER,
      concurrency INTEGER,
      queues TEXT NOT NULL,
      state TEXT NOT NULL,
      last_heartbeat ${text},
      load_average TEXT,
      active_tasks INTEGER NOT NULL,
      processed ${bigint} NOT NULL,
      failed ${bigint} NOT NULL,
      succeeded ${bigint} NOT NULL,
      retried ${bigint} NOT NULL,
      metadata TEXT NOT NULL,
      agent_id ${uuid} REFERENCES agents (id) ON DELETE SET NULL,
      -- when the process closed its connection in an orderly way, as at a warm shutdown
      left_at ${text},
      created_at ${text} NOT NULL,
      updated_at ${text} NOT NULL,
      UNIQUE (project_id, engine, name)
    )`
    yield* sql`CREATE INDEX workers_online ON workers (last_heartbeat) WHERE state = 'online'`
    yield* sql`CREATE INDEX workers_agent ON workers (agent_id) WHERE agent_id IS NOT NULL`
    yield* sql`CREATE INDEX workers_left ON workers (project_id, id) WHERE left_at IS NOT NULL AND state = 'online'`

    yield* sql`CREATE TABLE queues (
      id ${uuid} PRIMARY KEY,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      engine ${text} NOT NULL,
      name ${text} NOT NULL,
      broker_type TEXT,
      broker_url_hint TEXT,
      depth ${bigint},
      last_seen_at ${text},
      -- the least depth of the 5 minutes low_window (counted since 1970), of those before, and of those before them
      low_window ${bigint},
      low_depth ${bigint},
      low_before ${bigint},
      low_earlier ${bigint},
      -- as the engine reported it at that time; null: its agent cannot see pauses
      paused INTEGER,
      pause_reported_at ${text},
      -- within which its tasks should start; null: none is set
      start_target_seconds INTEGER,
      created_at ${text} NOT NULL,
      UNIQUE (project_id, engine, name)
    )`
    yield* sql`CREATE INDEX queues_with_target ON queues (project_id) WHERE start_target_seconds IS NOT NULL`

    // Level 0: the last depth of a minute; level 1: the largest of 15 minutes. Buckets are minutes since 1970.
    yield* sql`CREATE TABLE queue_depths (
      queue_id ${uuid} NOT NULL REFERENCES queues (id) ON DELETE CASCADE,
      level INTEGER NOT NULL,
      bucket ${bigint} NOT NULL,
      depth ${bigint} NOT NULL,
      PRIMARY KEY (queue_id, level, bucket)
    )`
    yield* sql`CREATE INDEX queue_depths_time ON queue_depths (level, bucket)`

    // Who paused a queue by a command, and until when; a row ends with the pause. The command may be deleted before. A
    // further pause of the queue is a row of its own, since its command may fail.
    yield* sql`CREATE TABLE queue_pauses (
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      engine ${text} NOT NULL,
      queue ${text} NOT NULL,
      agent_id ${uuid} NOT NULL,
      command_id ${uuid} PRIMARY KEY NOT NULL,
      reason ${text} NOT NULL,
      paused_by ${uuid},
      paused_at ${text} NOT NULL,
      resume_at ${text},
      -- the last command to resume it
      resume_command_id ${uuid}
    )`
    yield* sql`CREATE INDEX queue_pauses_queue ON queue_pauses (project_id, engine, queue)`
  })
}
