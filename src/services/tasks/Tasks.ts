import { Chunk, Effect, Layer, Option, Stream } from "effect"
import { Forbidden, NotFound, ValidationFailed } from "../../domain/kernel/Errors.ts"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import { makeLogUrl } from "../../domain/kernel/LogUrl.ts"
import { decodeCursor, encodeCursor } from "../../domain/kernel/Page.ts"
import type { ExportFormat } from "../../domain/kernel/Query.ts"
import type { TaskKey } from "../../domain/kernel/TaskKey.ts"
import { isStorable } from "../../domain/kernel/Text.ts"
import { fromEpochMillis, now, type Timestamp } from "../../domain/kernel/Timestamp.ts"
import { retryNote } from "../../domain/tasks/Retry.ts"
import { type TaskField, taskFields } from "../../domain/tasks/Task.ts"
import { type BulkDelete, summarizeSelection, type TaskFilter, toTaskFilter } from "../../domain/tasks/Task/Filter.ts"
import { hidePayload, type TaskRow } from "../../domain/tasks/Task/Json.ts"
import * as TaskHistory from "../../domain/tasks/TaskHistory.ts"
import { type ListLogs, writeProgress } from "../../domain/tasks/TaskOutput.ts"
import { ApprovalGate } from "../approvalGate/Gate.ts"
import { makeTaskSelection } from "../approvalGate/Subject.ts"
import { canReadPayload, CurrentProject } from "../kernel/CurrentActor.ts"
import { parseFields } from "../kernel/Export/Formats.ts"
import { Xlsx } from "../kernel/Export/Xlsx.ts"
import * as Ids from "../kernel/Ids.ts"
import { pageBytes, type RowSize, takeWithin } from "../kernel/PageBytes.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { tracedFn } from "../kernel/TracedFn.ts"
import { TaskBulkDelete } from "./BulkDelete.ts"
import { TaskDeletion } from "./Deletion.ts"
import { TaskExport } from "./Export.ts"
import { makeTaskOutputs } from "./Outputs.ts"
import { defaultLimit, idAt, type ReadPage } from "./Pages.ts"
import { type StoredOutput, TasksRepo } from "./Repo.ts"
import { Scans } from "./Scans.ts"
import { TaskSearch } from "./Search.ts"
import { pageOfTimeline, type TimelinePage } from "./Timeline.ts"
import { makeFindTree } from "./Tree.ts"

/** Newest first; rows as `Outputs.ts` completes them. `total_count` is undefined unless asked for, null when there are too many to count. */
export interface TaskPage {
  readonly rows: ReadonlyArray<TaskRow>
  readonly next_cursor: string | null
  readonly total_count: number | null | undefined
  /** Tasks that are older were not searched yet: the next page continues there. Null when the search did not stop early. */
  readonly searched_to: Timestamp | null
  /** The searchable path whose index was read; null: none. */
  readonly index: string | null
}

/** A page of which only the first rows are read. */
export interface OpenTaskPage extends TaskPage {
  /** The others, read in slices as the stream is; null for none. */
  readonly later: Stream.Stream<ReadonlyArray<TaskRow>> | null
}

/** The id of the last row, read or not. */
const lastIdOf = ({ later, rows }: ReadPage): string => later.at(-1)?.at(-1) ?? String(rows.at(-1)?.[idAt])

const writeOutputProgress = (output: StoredOutput | null, isValueShown: boolean): string | null => {
  const { progress = null, progress_at = null } = output ?? {}
  return progress === null || progress_at === null ? null : writeProgress(progress, progress_at, isValueShown)
}

const logUrlOf = (template: string, project: string, row: TaskRow): string | null => {
  const cell = (field: TaskField) => row[taskFields.indexOf(field)]?.toString() ?? null
  return makeLogUrl(template, {
    project,
    engine: cell("engine"),
    task_id: cell("task_id"),
    name: cell("name"),
    queue: cell("queue"),
    worker: cell("worker_name"),
    received: cell("received_at"),
    started: cell("started_at"),
    ended: cell("finished_at")
  })
}

const taskNotFound = new NotFound({ resource: "task" })

/** The read side of tasks, and their deletion, within the current project (interface, Tasks). */
export class Tasks extends Effect.Service<Tasks>()("svc/Tasks", {
  // Twelve short methods, one an endpoint, over the same repository, search and approvals.
  effect: Effect.gen(function*() {
    const settings = yield* Settings
    const repo = yield* TasksRepo
    const search = yield* TaskSearch
    const findTree = yield* makeFindTree
    const outputs = yield* makeTaskOutputs
    const files = yield* TaskExport
    const bulk = yield* TaskBulkDelete
    const gate = yield* ApprovalGate

    /**
     * A page, with fewer rows when they are large or rare, and the id after which the next page begins; null on the last page.
     */
    const page = Effect.fnUntraced(function*(
      projectId: ProjectId,
      filter: TaskFilter,
      after: string | null,
      limit: number
    ) {
      if (isServedByOneIndex(filter)) {
        const read = yield* repo.readPage(projectId, filter, after, limit)
        return { ...read, next: read.hasMore ? lastIdOf(read) : null, searchedTo: null, index: null }
      }
      const { ids, index, searchedTo } = yield* search.listPage(projectId, filter, after, limit + 1)
      const matches = yield* readSizes(projectId, ids)
      const read = yield* repo.readOf(projectId, matches, limit)
      // the last match, also where its row was deleted since
      return read.hasMore
        ? { ...read, next: takeWithin(matches, pageBytes).slice(0, limit).at(-1)?.id ?? null, searchedTo: null, index }
        : { ...read, next: searchedTo, searchedTo, index }
    })

    /** The ids with the sizes of their rows; 0 for a row that was deleted since the search. */
    const readSizes = (projectId: ProjectId, ids: ReadonlyArray<string>) =>
      Effect.map(repo.listSizes(projectId, ids), (rows) => {
        const bytes = new Map(rows.map((row) => [row.id, row.bytes]))
        return ids.map((id): RowSize => ({ id, bytes: bytes.get(id) ?? 0 }))
      })

    const total = (projectId: ProjectId, filter: TaskFilter) => {
      const { state } = filter
      return hasOnly(filter, ["state"])
        ? repo.readCount(projectId, state)
        : search.count(projectId, filter)
    }

    /**
     * A page of the matching tasks, of which only the first rows are read. `limit` is 1 to 5000 and is clamped to
     * SVC_REST_MAX_PAGE_SIZE.
     */
    const openPage = tracedFn("Tasks.openPage")(function*(filter: TaskFilter, options: {
      readonly cursor: string | null
      readonly limit: number | null
      readonly include_total: boolean
    }) {
      const project = yield* CurrentProject
      const after = options.cursor === null ? null : yield* decodeAfter(options.cursor)
      const limit = Math.min(options.limit ?? defaultLimit, settings.restMaxPageSize)
      const { index, later, next, rows, searchedTo } = yield* page(project.id, filter, after, limit)
      const pageRows = rows.length + later.reduce((sum, ids) => sum + ids.length, 0)
      const total_count = !options.include_total
        ? undefined
        : after === null && next === null
        ? pageRows
        : yield* total(project.id, filter)
      const isShown = yield* canReadPayload
      const show = (all: ReadonlyArray<TaskRow>) =>
        outputs.addProgress(project.id, isShown ? all : all.map(hidePayload), isShown)
      const laterRows = Stream.mapEffect(
        Stream.fromIterable(later),
        (ids) => orDieOnSql(Effect.flatMap(repo.listByIds(project.id, ids), show))
      )
      return {
        rows: yield* show(rows),
        later: later.length === 0 ? null : laterRows,
        next_cursor: next === null ? null : encodeCursor("tasks", [next]),
        total_count,
        searched_to: searchedTo === null ? null : fromEpochMillis(Ids.millisOf(searchedTo)),
        index
      } satisfies OpenTaskPage
    }, orDieOnSql)

    /** As `openPage`, with all rows. */
    const list = Effect.fn("Tasks.list")(function*(...request: Parameters<typeof openPage>) {
      const { later, rows, ...page } = yield* openPage(...request)
      const laterRows = later === null ? [] : Chunk.toReadonlyArray(yield* Stream.runCollect(later)).flat()
      return { rows: [...rows, ...laterRows], ...page } satisfies TaskPage
    })

    /** One task. */
    const get = tracedFn("Tasks.get")(function*(key: TaskKey) {
      const project = yield* CurrentProject
      const row = isStorableKey(key) ? yield* repo.findByKey(project.id, key) : undefined
      if (row === undefined) return yield* taskNotFound
      return (yield* canReadPayload) ? row : hidePayload(row)
    }, orDieOnSql)

    /** One task, what its retry needs, and the tasks before and after it in a chain of retries. */
    const getDetail = tracedFn("Tasks.getDetail")(function*(key: TaskKey) {
      const project = yield* CurrentProject
      const found = isStorableKey(key) ? yield* repo.findDetail(project.id, key) : undefined
      const { failureGroup, firedBy, history, lastRetry, orphanedAt, output, retriedAs, retriedFrom, row } = found ??
        (yield* taskNotFound)
      const isShown = yield* canReadPayload
      const events = TaskHistory.decode(history)
      return {
        row: isShown ? row : hidePayload(row),
        payload_hidden: !isShown,
        retry_note: retryNote(key.engine, lastRetry),
        retried_from: retriedFrom,
        orphaned_at: orphanedAt,
        ...TaskHistory.countRuns(events),
        ...TaskHistory.describeLatestRun(events),
        retried_as: retriedAs,
        failure_group: failureGroup,
        fired_by: firedBy,
        altered_fields: TaskHistory.listAlteredFields(events),
        log_line_count: output?.lines ?? 0,
        log_url: logUrlOf(settings.logUrlTemplate, project.slug, row),
        // JSON text: the task's own numbers keep their digits
        progress: writeOutputProgress(output, isShown)
      }
    }, orDieOnSql)

    /** A part of a task's log. Lines may come before their task is known. */
    const listLogs = Effect.fn("Tasks.listLogs")(function*(key: TaskKey, query: ListLogs) {
      const project = yield* CurrentProject
      if (!(yield* canReadPayload)) {
        return yield* new Forbidden({ detail: "Logs need the project's payload_role, as arguments and results do." })
      }
      if (!isStorableKey(key)) return yield* taskNotFound
      const page = yield* outputs.listLogs(project.id, key, query)
      const isKnown = page.line_count + page.dropped_count > 0 || (yield* repo.findByKey(project.id, key)) !== undefined
      return isKnown ? page : yield* taskNotFound
    }, orDieOnSql)

    /** The tree a task belongs to. */
    const getTree = Effect.fn("Tasks.getTree")(function*(key: TaskKey) {
      const project = yield* CurrentProject
      const found = isStorableKey(key) ? yield* findTree(project.id, key) : Option.none()
      return yield* orFail(taskNotFound)(found)
    }, orDieOnSql)

    /** The runs of a task that are kept. */
    const listRuns = Effect.fn("Tasks.listRuns")(function*(key: TaskKey) {
      const project = yield* CurrentProject
      const history = isStorableKey(key) ? yield* repo.findHistory(project.id, key) : undefined
      return TaskHistory.listRuns(TaskHistory.decode(history ?? (yield* taskNotFound)))
    }, orDieOnSql)

    /** A page of a task's events, earliest first; empty for an unknown task. */
    const listEvents = Effect.fn("Tasks.listEvents")(
      function*(key: TaskKey, cursor: string | null, limit: number | null) {
        const project = yield* CurrentProject
        const history = yield* repo.findHistory(project.id, key)
        const size = Math.min(limit ?? defaultLimit, settings.restMaxPageSize)
        const found = history === undefined
          ? { items: [], next_cursor: null } satisfies TimelinePage
          : pageOfTimeline(history, project.id, key, { cursor, limit: size, hasResult: yield* canReadPayload })
        return found ?? (yield* invalidCursor)
      },
      orDieOnSql
    )

    /** A file of the tasks that match. `fields` is a comma-separated list of names, null for all. */
    const exportAs = Effect.fn("Tasks.exportAs")(function*(
      filter: TaskFilter,
      format: ExportFormat,
      fields: string | null
    ) {
      const project = yield* CurrentProject
      const shownFields = yield* parseFields(fields, taskFields, "a task")
      return yield* files.exportFile(project.id, filter, format, shownFields, yield* canReadPayload)
    })

    /** Deletes tasks of the project; returns how many. */
    const bulkDelete = Effect.fn("Tasks.bulkDelete")(
      function*(body: BulkDelete) {
        const project = yield* CurrentProject
        const { task_ids } = body
        const moment = yield* now
        const matching = Effect.map(
          search.countFacets(project.id, toTaskFilter(body, moment)),
          ({ counted, is_complete }) => makeTaskSelection(is_complete ? counted : null)
        )
        yield* gate.checkBulk(
          { kind: "bulk_delete", request: body, summary: summarizeSelection("Delete", body), subject: matching },
          task_ids?.length ?? null // a filter deletes up to 10 000 tasks
        )
        return yield* bulk.deleteMatching(project.id, body)
      },
      gate.record,
      orDieOnSql
    )

    /** How often each value occurs among the tasks that match. */
    const countFacets = Effect.fn("Tasks.countFacets")(function*(filter: TaskFilter) {
      const { id } = yield* CurrentProject
      const facets = yield* search.countFacets(id, filter)
      if (facets.is_complete) return { ...facets, is_state_complete: true }
      return hasOnly(filter, ["state"])
        ? { ...facets, state: yield* repo.listCounts(id, filter.state), is_state_complete: true }
        : { ...facets, is_state_complete: false }
    }, orDieOnSql)

    /** Which of the tasks match. */
    const listMatches = Effect.fn("Tasks.listMatches")(function*(filter: TaskFilter, ids: ReadonlyArray<string>) {
      const project = yield* CurrentProject
      const found = new Set(yield* search.listMatches(project.id, filter, ids))
      return { ids: ids.filter((id) => found.has(id)) }
    }, orDieOnSql)

    return {
      openPage,
      list,
      countFacets,
      listMatches,
      get,
      getDetail,
      getTree,
      listRuns,
      listLogs,
      listEvents,
      exportAs,
      bulkDelete
    } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide(Layer.mergeAll(ApprovalGate.layer, TaskExport.layer, TaskBulkDelete.layer)),
    Layer.provide(Layer.mergeAll(TaskSearch.layer, TasksRepo.layer, TaskDeletion.layer, Xlsx.layer)),
    Layer.provide(Scans.layer)
  )
}

const invalidCursor = ValidationFailed.at("cursor", "is not a cursor of this list")

const decodeAfter = (cursor: string): Effect.Effect<string, ValidationFailed> => {
  const [id] = decodeCursor("tasks", cursor, 1) ?? []
  return id !== undefined && Ids.isUuid(id) ? Effect.succeed(id) : Effect.fail(invalidCursor)
}

/** Whether the filter has at most one of the terms with their own index, and no other term. */
const isServedByOneIndex = (filter: TaskFilter): boolean =>
  ["state", "queue", "worker", "fingerprint"].some((term) => hasOnly(filter, [term]))

/** Whether the filter has no term but these. `search_exceptions` is no term: it says what `search` covers. */
const hasOnly = (filter: TaskFilter, names: ReadonlyArray<string>): boolean =>
  Object.entries(filter).every(([name, term]) => term === null || name === "search_exceptions" || names.includes(name))

/** Whether the databases can hold the key; no task has another one. */
const isStorableKey = ({ engine, task_id }: TaskKey): boolean => isStorable(engine) && isStorable(task_id)
