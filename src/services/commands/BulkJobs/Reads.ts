import { Effect, Option } from "effect"
import { NotFound } from "../../../domain/kernel/Errors.ts"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import { CurrentProject } from "../../kernel/CurrentActor.ts"
import { Settings } from "../../kernel/Settings.ts"
import { decodeStart, pageOf } from "../../kernel/sql/RowPage.ts"

/** What a list's query says. */
export interface PageQuery {
  readonly cursor: string | undefined
  readonly limit: number | undefined
}

interface Rows<Id, Row, E> {
  readonly find: (projectId: ProjectId, id: Id) => Effect.Effect<Option.Option<Row>, E>
  readonly lock: (projectId: ProjectId, id: Id) => Effect.Effect<Option.Option<Row>, E>
  readonly list: (projectId: ProjectId, start: string | null, limit: number) => Effect.Effect<ReadonlyArray<Row>, E>
}

/** Reads of one resource's jobs in the current project; `name` is that of its cursors. */
export const makeReads = <Id, Row extends { readonly id: string }, E>(
  { find, list, lock }: Rows<Id, Row, E>,
  { defaultLimit, name, resource }: { readonly resource: string; readonly name: string; readonly defaultLimit: number }
) =>
  Effect.map(Settings, ({ restMaxPageSize }) => {
    const limitOf = ({ limit }: PageQuery) => Math.min(limit ?? defaultLimit, restMaxPageSize)

    const require = (read: (projectId: ProjectId, id: Id) => Effect.Effect<Option.Option<Row>, E>) => (id: Id) =>
      Effect.flatMap(CurrentProject, (project) =>
        Effect.flatMap(
          read(project.id, id),
          Option.match({ onNone: () => new NotFound({ resource }), onSome: Effect.succeed })
        ))

    /** Newest first. */
    const listPage = Effect.fnUntraced(function*(query: PageQuery) {
      const project = yield* CurrentProject
      const limit = limitOf(query)
      const start = yield* decodeStart(name, { cursor: query.cursor, limit })
      return pageOf(name, { limit }, yield* list(project.id, start, limit + 1))
    })

    return { find: require(find), lock: require(lock), listPage, limitOf } as const
  })
