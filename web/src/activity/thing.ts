import { shortId } from "../format/shortId.ts"

/** What a command or a row of the activity is about. */
export interface Thing {
  readonly type: string
  readonly id: string | null
  /** Null: unknown. */
  readonly name: string | null
  /** Of a task or queue. */
  readonly engine: string | null
}

export const nameOfThing = ({ id, name }: Thing): string => name ?? (id === null ? "–" : shortId(id))
