import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { isOpenFailure } from "../../../domain/tasks/Failure/Group.ts"
import { Leader, Lease } from "../../kernel/concurrency/Leader.ts"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import { orDieOnSql } from "../../kernel/sql/Database.ts"
import { type GroupUpdate, unseen, writeGroups } from "./GroupSql.ts"
import {
  makeFailureRecoveriesRepo,
  type MarkChange,
  type RecoverableTask,
  type RetryLink,
  type TaskOfProject
} from "./RecoveriesRepo.ts"
import { RetryGraph, retryOf, taskKey } from "./RetryGraph.ts"

const loopName = "failure recoveries"

/** Links of a transaction: a few milliseconds on SQLite. */
const linksAtOnce = 200

/** A walk ends after so many tasks. People retry a task a few times; an agent may report any ids. */
const maxWalked = 5000

/**
 * Marks failed tasks whose retry succeeded under another id as recovered, and counts them so in their groups
 * (docs/failures.md). Whether a task is marked is decided by the states of the stored tasks and by the links of retries
 * alone, so neither the order of events nor their repetition changes the counts.
 *
 * The ingest and the commands' inbox mark which links to check, in the transactions that change a state or insert
 * a link. One replica checks them, one transaction after the other: it reads what both have committed.
 */
const makeCheckDueLinks = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const repo = yield* makeFailureRecoveriesRepo

  /** The tasks that are reached from these over links, with these, and the links. */
  const walk = Effect.fnUntraced(function*(direction: "retries" | "origins", start: ReadonlyArray<TaskOfProject>) {
    const seen = new Map(start.map((task) => [taskKey(task), task]))
    const links: Array<RetryLink> = []
    for (let next = [...seen.values()]; next.length > 0 && seen.size <= maxWalked;) {
      const found = yield* repo.listLinks(direction === "retries" ? "task_id" : "new_task_id", next)
      links.push(...found)
      next = found.map((link) => direction === "retries" ? retryOf(link) : link).filter((task) => {
        const isNew = !seen.has(taskKey(task))
        if (isNew) seen.set(taskKey(task), task)
        return isNew
      })
    }
    return { tasks: [...seen.values()], links }
  })

  /** The tasks before these links, which the links may have recovered, with all that decides it. */
  const read = Effect.fnUntraced(function*(due: ReadonlyArray<RetryLink>) {
    const graph = new RetryGraph()
    const addRetriesOf = (tasks: ReadonlyArray<TaskOfProject>) =>
      Effect.gen(function*() {
        const down = yield* walk("retries", tasks)
        graph.addLinks(down.links)
        graph.addTasks(yield* repo.listTasks(down.tasks))
      })
    const up = yield* walk("origins", due)
    graph.addLinks(due)
    graph.addLinks(up.links)
    const origins = yield* repo.listTasks(up.tasks)
    graph.addTasks(origins)
    yield* addRetriesOf(due.map(retryOf))
    const marks = origins.flatMap((task) => task.recovered_by === null ? [] : { ...task, task_id: task.recovered_by })
    if (marks.length > 0) graph.addTasks(yield* repo.listTasks(marks))
    const stale = origins.filter((task) => graph.isStale(task))
    if (stale.length > 0) yield* addRetriesOf(stale)
    return { graph, origins }
  })

  /** Counts tasks that have got their first mark as recovered, and those that lost their mark as open. */
  const count = (changes: ReadonlyArray<MarkChange>, tasks: ReadonlyArray<RecoverableTask>) => {
    const before = new Map(changes.map((change) => [taskKey(change), change.before]))
    const groups = new Map<string, { -readonly [Field in keyof GroupUpdate]: GroupUpdate[Field] }>()
    for (const task of tasks) {
      const { fingerprint, project_id, recovered_by, state } = task
      const change = Number(recovered_by !== null) - Number(before.get(taskKey(task)) !== null)
      if (change === 0 || fingerprint === null || !isOpenFailure(state)) continue
      const key = `${project_id} ${fingerprint}`
      const group = groups.get(key) ?? { ...noChange, project_id, fingerprint }
      group.open_count -= change
      group.recovered_count += change
      groups.set(key, group)
    }
    const rows = [...groups].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, group]) => group)
    return rows.length === 0 ? Effect.void : Effect.asVoid(writeGroups(sql, rows))
  }

  /** Checks the links that are due, at most `linksAtOnce`; returns whether there may be more. Only the leader may. */
  return Effect.fn("FailureRecoveries.checkDueLinks")(function*() {
    const lease = yield* Lease
    const due = yield* repo.listDue(yield* Timestamp.now, linksAtOnce)
    if (due.length === 0) return false
    yield* lease.withTransaction(Effect.gen(function*() {
      const { graph, origins } = yield* read(due)
      const changes = origins.flatMap((task): MarkChange | [] => {
        if (task.recovered_by !== null && !graph.isStale(task)) return []
        const { engine, project_id, recovered_by: before, task_id } = task
        const after = graph.findRecoverer(task)
        return after === before ? [] : { project_id, engine, task_id, before, after }
      })
      if (changes.length > 0) {
        yield* repo.mark(sortByKey(changes)).pipe(Effect.flatMap((tasks) => count(changes, tasks)))
      }
      yield* repo.markChecked(due)
    }))
    return due.length === linksAtOnce
  }, orDieOnSql)
})

/** Each second, on one replica at a time. */
export const layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
  const checkDueLinks = yield* makeCheckDueLinks
  const leader = yield* Leader
  const loops = yield* Loops
  const round = Effect.gen(function*() {
    const more = yield* checkDueLinks()
    yield* loops.reportSuccess(loopName)
    yield* Effect.sleep(more ? "10 millis" : "1 second")
  })
  yield* loops.forever(loopName, leader.lead(loopName, Effect.forever(round)), { longestPause: "5 seconds" })
})).pipe(Layer.provide(Leader.layer))

/** In the order of the keys, in which the ingest locks rows too. */
const sortByKey = <Task extends TaskOfProject>(tasks: ReadonlyArray<Task>): ReadonlyArray<Task> =>
  tasks.toSorted((left, right) => (taskKey(left) < taskKey(right) ? -1 : 1))

const noChange = {
  engine: "",
  task_name: "",
  sample_task_id: "",
  sample_exception: null,
  ...unseen,
  occurrences: 0,
  open_count: 0,
  recovered_count: 0
} as const satisfies Omit<GroupUpdate, "project_id" | "fingerprint">
