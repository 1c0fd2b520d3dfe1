import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"
import { schedulesQuery } from "../schedules/queries.ts"
import { showExpression } from "../schedules/ticks.ts"
import { ListFrame } from "../ui/ListFrame.tsx"
import { Panel } from "../ui/Panel.tsx"
import { linkClass } from "../ui/TextLink.tsx"

/** The schedules that fire tasks of the name. */
export const NameSchedules = ({ name, slug }: { readonly slug: string; readonly name: string }) => {
  const { names: texts } = useTexts()
  const schedules = useQuery(schedulesQuery(slug))
  const own = schedules.data?.schedules.filter(({ task_name }) => task_name === name) ?? []
  return (
    <Panel title={texts.schedules}>
      <ListFrame
        list={schedules}
        isEmpty={own.length === 0}
        empty={<p className="px-4 py-3 text-soft">{texts.noSchedule}</p>}
      >
        <ul className="grid grid-cols-[minmax(0,1fr)] gap-1 px-4 py-3">
          {own.map(({ expression, id, name }) => (
            <li key={id} className="flex justify-between gap-3">
              <Link
                to="/projects/$slug/schedules/$scheduleId"
                params={{ slug, scheduleId: id }}
                className={`truncate ${linkClass.name}`}
              >
                {name}
              </Link>
              <code className="font-mono text-small text-soft">{showExpression(expression)}</code>
            </li>
          ))}
        </ul>
      </ListFrame>
    </Panel>
  )
}
