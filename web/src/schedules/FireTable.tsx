import { useQuery } from "@tanstack/react-query"
import { Fragment, type ReactNode, useEffect, useRef } from "react"
import { api, unwrap } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { TaskLink } from "../tasks/TaskLinks.tsx"
import { linkClass, TextLink } from "../ui/TextLink.tsx"
import { FireMark } from "./FireMark.tsx"
import type { Fire } from "./states.ts"

/** The command of a fire: it knows the id that the engine gave the task. */
export const fireCommandQuery = (slug: string, commandId: string | null) => ({
  queryKey: ["schedules", slug, "command", commandId],
  enabled: commandId !== null,
  queryFn: () =>
    unwrap(
      api.GET("/api/v1/projects/{slug}/commands/{command_id}", {
        params: { path: { slug, command_id: commandId ?? "" } }
      })
    )
})

const taskOf = (result: unknown): { readonly engine: string; readonly taskId: string } | null => {
  if (typeof result !== "object" || result === null || !("task_id" in result) || !("engine" in result)) return null
  const { engine, task_id } = result
  return typeof engine === "string" && typeof task_id === "string" ? { engine, taskId: task_id } : null
}

/** What a fire's status means, its error, and where to go on. */
const FireDetail = ({ children, fire: { command_id, error_message, status, triggered_by_user_id }, slug }: {
  readonly slug: string
  readonly fire: Fire
  readonly children: ReactNode
}) => {
  const { commands, schedules: texts } = useTexts()
  const { data: command } = useQuery(fireCommandQuery(slug, command_id))
  const task = taskOf(command?.result)
  return (
    <div className="grid gap-2 border-l-2 border-line-strong px-4 py-3">
      <p>{texts.statusHints[status]}</p>
      {error_message !== null && <p className="break-words text-failure">{error_message}</p>}
      {triggered_by_user_id !== null && <p className="text-soft">{texts.page.byPerson}</p>}
      {command !== undefined && (
        <p className="text-soft">
          {`${texts.page.command}: ${commands.statuses[command.status]}. ${
            command.error ?? commands.statusHints[command.status]
          }`}
        </p>
      )}
      {task !== null && (
        <TaskLink slug={slug} {...task} className={`justify-self-start ${linkClass.text}`}>
          {texts.page.openTask}
        </TaskLink>
      )}
      {children}
    </div>
  )
}

/** A schedule's fires, newest tick first; the chosen one is open below its row. */
export const FireTable = ({ actions, chosen, fires, scheduleId, slug }: {
  readonly slug: string
  readonly scheduleId: string
  readonly fires: ReadonlyArray<Fire>
  /** The `fire_id` in the address. */
  readonly chosen: string | undefined
  /** What can be done about a fire that is open. */
  readonly actions: (fire: Fire) => ReactNode
}) => {
  const { schedules: { page: texts } } = useTexts()
  const format = useFormat()
  const chosenRow = useRef<HTMLTableRowElement>(null)
  const isListed = fires.some(({ fire_id }) => fire_id === chosen)
  useEffect(() => {
    chosenRow.current?.scrollIntoView({ block: "nearest" }) // newer browsers return a promise, which is no clean-up
  }, [chosen, isListed])
  return (
    <div className="max-h-130 overflow-auto" role="group" aria-label={texts.fires} tabIndex={0}>
      <table className="w-full border-collapse">
        <thead>
          <tr className="border-b border-line text-left text-small text-soft">
            <th scope="col" className="h-7.5 px-4 font-normal">{texts.tick}</th>
            <th scope="col" className="px-2 font-normal">{texts.outcome}</th>
            <th scope="col" title={texts.firedHint} className="px-2 text-right font-normal">{texts.fired}</th>
            <th scope="col" className="px-4 text-right font-normal max-md:hidden">{texts.latency}</th>
          </tr>
        </thead>
        <tbody>
          {fires.map((fire) => {
            const { fire_id, fired_at, latency_ms, scheduled_for, status } = fire
            const isChosen = fire_id === chosen
            return (
              <Fragment key={fire_id}>
                <tr
                  ref={isChosen ? chosenRow : undefined}
                  className={`border-b border-line last:border-0 hover:bg-hover ${isChosen ? "bg-press" : ""}`}
                >
                  <td className="figures h-8.5 px-4 py-1">
                    <TextLink
                      to="/projects/$slug/schedules/$scheduleId"
                      params={{ slug, scheduleId }}
                      search={isChosen ? {} : { fire: fire_id }}
                      replace
                      resetScroll={false}
                      aria-expanded={isChosen}
                      look="row"
                    >
                      {format.moment(Date.parse(scheduled_for))}
                    </TextLink>
                  </td>
                  <td className="px-2">
                    <FireMark status={status} />
                  </td>
                  <td className="figures px-2 text-right">
                    {format.duration(Math.max(0, Date.parse(fired_at) - Date.parse(scheduled_for)))}
                  </td>
                  <td className="figures px-4 text-right max-md:hidden">
                    {latency_ms === null ? "–" : format.duration(latency_ms)}
                  </td>
                </tr>
                {isChosen && (
                  <tr className="border-b border-line last:border-0">
                    <td colSpan={4}>
                      <FireDetail slug={slug} fire={fire}>{actions(fire)}</FireDetail>
                    </td>
                  </tr>
                )}
              </Fragment>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
