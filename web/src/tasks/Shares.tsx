import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Panel } from "../ui/Panel.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import type { TaskQuery } from "./query.ts"
import { TaskListLink } from "./TaskLinks.tsx"

/** How the tasks of some terms are divided among workers or queues, as shares that lead to their tasks. */
export const Shares = ({ shares, slug, term, terms, title }: {
  readonly slug: string
  readonly terms: TaskQuery
  /** Of the query that lists the tasks of a share. */
  readonly term: "queue" | "worker"
  readonly title: string
  readonly shares: ReadonlyArray<{ readonly name: string | null; readonly tasks: number }>
}) => {
  const { none } = useTexts()
  const format = useFormat()
  const total = shares.reduce((sum, { tasks }) => sum + tasks, 0)
  return (
    <Panel title={title}>
      {shares.length === 0 ? <p className="px-4 py-3 text-soft">{none}</p> : (
        <ul className="grid gap-1 px-4 py-3">
          {shares.map(({ name, tasks }) => (
            <li key={name} className="flex justify-between gap-3">
              <span className="truncate">
                {name === null
                  ? "–"
                  : (
                    <TaskListLink slug={slug} query={{ ...terms, [term]: name }} className={linkClass.row}>
                      {name}
                    </TaskListLink>
                  )}
              </span>
              <span className="figures text-soft">{format.percent(tasks / total)}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
