import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { type ProjectId } from "../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import * as Ids from "../../src/services/kernel/Ids.ts"
import { Hints } from "../../src/services/kernel/sql/Database.ts"
import { baseUrl } from "../brain.ts"

/** Writes or changes tasks as a writer would, in one statement, and hints at it. */
export const putTasks = (
  projectId: ProjectId,
  taskIds: ReadonlyArray<string>,
  state: string,
  exception: string | null = null
) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const now = yield* Timestamp.now
    const ids = yield* Effect.forEach(taskIds, () => Ids.next)
    const rows = taskIds.map((task_id, index) => ({
      id: ids[index]!,
      project_id: projectId,
      engine: "celery",
      task_id,
      name: "shop.pay",
      state,
      exception,
      priority: "normal",
      retry_count: 0,
      tags: "[]",
      first_event_at: now,
      history: "[]",
      revision: 1,
      created_at: now,
      updated_at: now
    }))
    yield* sql`INSERT INTO tasks ${sql.insert(rows)}
      ON CONFLICT (project_id, engine, task_id) DO UPDATE SET state = excluded.state, exception = excluded.exception,
        updated_at = excluded.updated_at`
    yield* Effect.flatMap(Hints, (hints) => hints.publish("tasks", projectId))
  })

export const putTask = (projectId: ProjectId, taskId: string, state: string) => putTasks(projectId, [taskId], state)

interface Message {
  readonly id: string
  readonly event: string
  readonly data: {
    readonly task_id?: string
    readonly state?: string
    readonly exception?: string | null
    readonly unread?: number
  }
}

/** Opens the stream; `next` waits for one message that is neither a comment nor a heartbeat. */
export const openStream = (slug: string, token: string, lastEventId?: string) =>
  Effect.flatMap(baseUrl, (base) => openStreamAt(base, slug, token, lastEventId))

/** The same, of the brain at `base`. */
export const openStreamAt = (base: string, slug: string, token: string, lastEventId?: string) =>
  Effect.gen(function*() {
    const stop = new AbortController()
    yield* Effect.addFinalizer(() => Effect.sync(() => stop.abort()))
    const response = yield* Effect.promise(() =>
      fetch(`${base}/api/v1/projects/${slug}/stream`, {
        signal: stop.signal,
        headers: {
          authorization: `Bearer ${token}`,
          ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId })
        }
      })
    )
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ""
    const next = Effect.promise(async (): Promise<Message> => {
      for (;;) {
        const end = text.indexOf("\n\n")
        if (end === -1) {
          const chunk = await reader?.read()
          if (chunk === undefined || chunk.done) throw new Error("the stream ended")
          text += chunk.value
          continue
        }
        const fields = new Map(
          text.slice(0, end).split("\n").map((line) => {
            const index = line.indexOf(": ")
            return [line.slice(0, index), line.slice(index + 2)] as const
          })
        )
        text = text.slice(end + 2)
        const event = fields.get("event")
        if (event !== undefined && event !== "heartbeat") {
          return { id: fields.get("id") ?? "", event, data: JSON.parse(fields.get("data") ?? "{}") }
        }
      }
    })
    return { response, next }
  })
