import { Link } from "@tanstack/react-router"
import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { StateShape } from "../ui/StateMark.tsx"

/** The newest tasks, oldest first, each with the shape of its state. */
export const RunStrip = ({ slug, tasks }: {
  readonly slug: string
  readonly tasks: ReadonlyArray<Schemas["Task"]>
}) => {
  const { states } = useTexts()
  const format = useFormat()
  return (
    <ul className="flex flex-wrap gap-0.5 px-4 py-3">
      {tasks.toReversed().map(({ created_at, engine, id, runtime_ms, state, task_id }) => {
        const text = [
          states[state],
          ...(runtime_ms === null ? [] : [format.duration(runtime_ms)]),
          format.moment(Date.parse(created_at))
        ].join(" · ")
        return (
          <li key={id}>
            <Link
              to="/projects/$slug/tasks/$engine/$taskId"
              params={{ slug, engine, taskId: task_id }}
              preload={false}
              aria-label={text}
              title={text}
              className="grid h-6 w-6 place-items-center rounded-small hover:bg-hover"
            >
              <StateShape state={state} />
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
