import { Effect, Layer } from "effect"
import { includesRole, type Role, type Scope } from "../../domain/kernel/Access.ts"
import { hasScope } from "../../domain/kernel/Actor.ts"
import { ValidationFailed } from "../../domain/kernel/Errors.ts"
import { Id } from "../../domain/kernel/Id.ts"
import { decodeCursor, encodeCursor, type PageOf } from "../../domain/kernel/Page.ts"
import type { Project } from "../../domain/kernel/Project.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type {
  AttentionItem,
  HomeSummary,
  ListRecentFailures,
  ProjectCard,
  RecentFailure
} from "../../domain/operations/Home.ts"
import type { FindHomeTrends } from "../../domain/tasks/Rollup/Trends.ts"
import { Projects } from "../identity/Projects.ts"
import { currentPerson, roleIn } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { Rollups } from "../tasks/Rollups.ts"
import { failureRateOf } from "../tasks/Rollups/Counts.ts"
import { attentionOf, isDecision } from "./Home/Attention.ts"
import { makeNamedRepo } from "./Home/NamedRepo.ts"
import { type Counts, HomeRepo } from "./Home/Repo.ts"

const defaultFailures = 50
const listName = "recent-failures"
const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff"

/** A page shows many exceptions; the task itself has the whole text. */
const maxExceptionLength = 500

/** What a person sees first: all of their projects (bodies: home). */
export class Home extends Effect.Service<Home>()("svc/Home", {
  effect: Effect.gen(function*() {
    const repo = yield* HomeRepo
    const { listNamed } = yield* makeNamedRepo
    const projects = yield* Projects
    const rollups = yield* Rollups

    const getSummary = Effect.fn("Home.getSummary")(function*() {
      const person = yield* currentPerson
      const visible = yield* projects.list()
      const ids = visible.map((project) => project.id)
      const now = yield* Timestamp.now
      const idsAs = (needed: Role, scope: Scope) =>
        ids.filter((id) => {
          const role = roleIn(person, id)
          return hasScope(person.via, scope) && role !== null && includesRole(role, needed)
        })
      const decider = {
        user_id: person.user_id,
        seen: idsAs("viewer", "notifications:read"),
        operated: idsAs("operator", "notifications:read"),
        administered: idsAs("admin", "projects:read"),
        administersUsers: person.is_admin && !(person.via.kind === "api_key" && person.via.project_id !== null)
      }
      const [counts, named, activity, display_name] = yield* Effect.all([
        repo.countAll(ids, now),
        listNamed(ids, decider, now),
        repo.findLastActivity(ids),
        repo.findDisplayName(person.user_id)
      ], { concurrency: "unbounded" })
      const cards = visible.map((project) => {
        const role = roleIn(person, project.id)
        const sums = countsOf(counts, project)
        const isAdmin = role !== null && includesRole(role, "admin")
        const attention = attentionOf(project, counts.get(project.id) ?? {}, sums, named, isAdmin)
        const card: ProjectCard = {
          id: project.id,
          slug: project.slug,
          name: project.name,
          environment: project.environment,
          role,
          ...sums,
          last_activity_at: activity.get(project.id) ?? null,
          health: healthOf(sums, attention)
        }
        return { card, attention }
      })
      const summary: HomeSummary = {
        user: {
          id: person.user_id,
          email: person.email,
          display_name,
          is_admin: person.is_admin
        },
        aggregate: aggregateOf(cards.map(({ card }) => card), counts),
        projects: cards.map(({ card }) => card),
        attention: cards.flatMap(({ attention }) => attention).sort((left, right) =>
          left.severity === right.severity ? 0 : left.severity === "critical" ? -1 : 1
        )
      }
      return summary
    }, orDieOnSql)

    /** Failed tasks of all projects, the newest tasks first. */
    const listRecentFailures = Effect.fn("Home.listRecentFailures")(function*(query: ListRecentFailures) {
      const { limit = defaultFailures } = query
      const before = yield* decodePlace(query.cursor)
      const visible = new Map((yield* projects.list()).map((project) => [project.id, project]))
      const keys = yield* repo.listFailed([...visible.keys()], before, limit + 1)
      const tasks = yield* repo.findTasks(keys.slice(0, limit))
      const last = keys[limit - 1]
      const page: PageOf<RecentFailure> = {
        items: tasks.flatMap((task) => {
          const project = visible.get(task.project_id)
          return project === undefined ? [] : [{
            id: Id.make(task.id),
            created_at: task.created_at,
            occurred_at: task.finished_at ?? task.updated_at,
            project_id: project.id,
            project_slug: project.slug,
            project_name: project.name,
            engine: task.engine,
            task_id: task.task_id,
            task_name: task.name,
            worker: task.worker_name,
            exception: task.exception === null ? null : task.exception.slice(0, maxExceptionLength).toWellFormed(),
            priority: task.priority
          }]
        }),
        next_cursor: keys.length > limit && last !== undefined ? encodeCursor(listName, [last.id]) : null
      }
      return page
    }, orDieOnSql)

    /** The tasks of all projects over time, summed. */
    const listTrends = Effect.fn("Home.listTrends")(function*(query: FindHomeTrends) {
      return yield* rollups.listTrendsOf((yield* projects.list()).map(({ id }) => id), query)
    })

    return { getSummary, listRecentFailures, listTrends } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([HomeRepo.layer, Projects.layer, Rollups.layer]))
}

const decodePlace = (cursor: string | undefined): Effect.Effect<string, ValidationFailed> => {
  if (cursor === undefined) return Effect.succeed(lastId)
  const [id] = decodeCursor(listName, cursor, 1) ?? []
  return id === undefined || !Ids.isUuid(id)
    ? ValidationFailed.at("cursor", "is not a cursor of this list")
    : Effect.succeed(id)
}

type Sums = HomeSummary["aggregate"]

const countsOf = (counts: Counts, { id }: Project): Sums => {
  const found = counts.get(id) ?? {}
  const atLeastZero = (kind: string): number => Math.max(0, found[kind] ?? 0)
  const totalOf = (prefix: string): number =>
    Object.entries(found).reduce((sum, [kind, n]) => kind.startsWith(prefix) ? sum + n : sum, 0)
  const success = atLeastZero("success")
  const failure = atLeastZero("failure")
  return {
    tasks_24h: success + failure + atLeastZero("others"),
    failures_24h: failure,
    failure_rate_24h: failureRateOf({ success, failure }),
    workers_online: atLeastZero("workers_online"),
    workers_total: totalOf("workers_"),
    agents_online: atLeastZero("agents_online"),
    agents_total: totalOf("agents_"),
    stuck_commands: atLeastZero("stuck")
  }
}

const healthOf = (sums: Sums, attention: ReadonlyArray<AttentionItem>): ProjectCard["health"] => {
  if (attention.some(({ severity }) => severity === "critical")) return "critical"
  if (!attention.every(isDecision)) return "degraded"
  return sums.agents_total === 0 ? "idle" : "healthy"
}

const aggregateOf = (cards: ReadonlyArray<ProjectCard>, counts: Counts): Sums => {
  const sum = (name: Exclude<keyof Sums, "failure_rate_24h">) => cards.reduce((all, card) => all + card[name], 0)
  const success = cards.reduce((all, { id }) => all + Math.max(0, counts.get(id)?.["success"] ?? 0), 0)
  return {
    tasks_24h: sum("tasks_24h"),
    failures_24h: sum("failures_24h"),
    failure_rate_24h: failureRateOf({ success, failure: sum("failures_24h") }),
    workers_online: sum("workers_online"),
    workers_total: sum("workers_total"),
    agents_online: sum("agents_online"),
    agents_total: sum("agents_total"),
    stuck_commands: sum("stuck_commands")
  }
}
