import { Effect } from "effect"
import type { ProjectId } from "../../../domain/kernel/Id.ts"

/** Tasks per tick, and projects. */
const maxTasksPerTick = 200
const maxProjectsPerTick = 50

interface Row {
  readonly id: string
}

/** What a walk does with its tasks. */
export interface Walk<A extends Row, E> {
  readonly list: (project: ProjectId, after: string | null, limit: number) => Effect.Effect<ReadonlyArray<A>, E>
  /** Those of the tasks that are to be asked about. */
  readonly select: (project: ProjectId, tasks: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<A>, E>
  readonly ask: (project: ProjectId, tasks: ReadonlyArray<A>) => Effect.Effect<unknown, E>
  readonly maxQuestionsPerTick: number
}

/**
 * A walk through the tasks of all projects, oldest first. Each run continues where the last one reached one of its bounds,
 * so that the first project's tasks do not keep the others waiting.
 */
export const makeProjectWalk = <A extends Row, E>({ ask, list, maxQuestionsPerTick, select }: Walk<A, E>) => {
  let cursor: { readonly project: ProjectId | null; readonly after: string | null } = { project: null, after: null }
  return Effect.fnUntraced(function*(projects: ReadonlyArray<ProjectId>) {
    const first = Math.max(0, projects.findIndex((id) => id >= (cursor.project ?? "")))
    let tasksLeft = maxTasksPerTick
    let questionsLeft = maxQuestionsPerTick
    for (const project of [...projects.slice(first), ...projects.slice(0, first)].slice(0, maxProjectsPerTick)) {
      const tasks = yield* list(project, project === cursor.project ? cursor.after : null, tasksLeft)
      const selected = yield* select(project, tasks)
      const questions = selected.slice(0, questionsLeft)
      yield* ask(project, questions)
      tasksLeft -= tasks.length
      questionsLeft -= questions.length
      if (tasksLeft > 0 && questionsLeft > 0) continue
      cursor = { project, after: (questions.length < selected.length ? questions : tasks).at(-1)?.id ?? null }
      return
    }
    const next = projects.length <= maxProjectsPerTick
      ? undefined
      : projects[(first + maxProjectsPerTick) % projects.length]
    cursor = { project: next ?? null, after: null }
  })
}
