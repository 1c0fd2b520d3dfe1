import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { Panel } from "../ui/Panel.tsx"
import { type AgentUptime, useUptime } from "./agents.ts"

const dayMillis = 86_400_000

/** Outages that the sentence names; of more it has the number. */
const maxNamed = 2

/** Less than 24 hours by so little is a rounding, or a server that restarted. */
const toleranceSeconds = 5

type CellState = AgentUptime["cells"][number]

/** Height, place and colour, so that the states differ without their colours. */
const cellClasses: Readonly<Record<CellState, string>> = {
  connected: "h-full bg-success",
  partly: "h-2/3 bg-retry",
  away: "h-1/3 bg-failure",
  unknown: "h-0.5 self-center bg-line-strong"
}

const cellStates = ["connected", "partly", "away", "unknown"] as const

/** "98.6 % of the last 24 h, away 20 min at 03:10"; of what is known of them where that is less. */
const useSentence = () => {
  const { agents: texts } = useTexts()
  const format = useFormat()
  return ({ away_seconds, known_seconds, outages, uptime }: AgentUptime): string => {
    if (uptime === null) return texts.uptimeUnknown
    const parts = outages.length > maxNamed
      ? [texts.awayInAll(format.count(outages.length), format.duration(away_seconds * 1000))]
      : outages.map(({ since, until }) => {
        const time = timeOf(format, since)
        return until === null
          ? texts.awaySince(time)
          : texts.away(format.duration(Date.parse(until) - Date.parse(since)), time)
      })
    const isAllKnown = known_seconds >= dayMillis / 1000 - toleranceSeconds
    const share = isAllKnown
      ? texts.uptime(format.percent(uptime))
      : texts.uptimeOfKnown(format.percent(uptime), format.duration(known_seconds * 1000))
    return [share, ...parts].join(", ")
  }
}

const timeOf = (format: ReturnType<typeof useFormat>, at: string): string => {
  const time = Date.parse(at)
  return Date.now() - time < dayMillis ? format.axis(time, dayMillis) : format.moment(time)
}

const Cells = ({ cells, className }: {
  readonly cells: AgentUptime["cells"]
  readonly className: string
}) => (
  <span aria-hidden="true" className={`flex items-end gap-px ${className}`}>
    {cells.map((state, index) => (
      <span
        key={index}
        className={`min-w-0.5 flex-1 rounded-[1px] ${cellClasses[state]}`}
      />
    ))}
  </span>
)

/** What the bars of a strip mean. */
export const UptimeLegend = () => {
  const { agents: texts } = useTexts()
  return (
    <ul aria-label={texts.legend} className="flex flex-wrap gap-x-4 gap-y-1 text-small text-soft">
      {cellStates.map((state) => (
        <li key={state} className="flex items-center gap-1.5">
          <span aria-hidden="true" className="flex h-3 w-1 items-end">
            <span className={`flex-1 rounded-[1px] ${cellClasses[state]}`} />
          </span>
          {texts.cells[state]}
        </li>
      ))}
    </ul>
  )
}

/** The last 24 hours of an agent, a bar for each half hour. */
export const UptimeStrip = ({ uptime }: { readonly uptime: AgentUptime }) => {
  const sentence = useSentence()(uptime)
  return (
    <span title={sentence} className="block w-40">
      <Cells cells={uptime.cells} className="h-3" />
      <span className="sr-only">{sentence}</span>
    </span>
  )
}

/** The last 24 hours of an agent in words, with each outage. */
export const UptimePanel = ({ agentId, slug }: { readonly slug: string; readonly agentId: string }) => {
  const { agents: texts } = useTexts()
  const format = useFormat()
  const sentenceOf = useSentence()
  const list = useUptime(slug)
  const uptime = list.data?.agents.find(({ agent_id }) => agent_id === agentId)
  return (
    <Panel title={texts.lastDay}>
      <ListFrame
        list={list}
        isEmpty={uptime === undefined}
        empty={<p className="px-4 py-3 text-soft">{texts.uptimeUnknown}</p>}
      >
        {uptime !== undefined && (
          <div className="grid gap-2 px-4 py-3">
            <Cells cells={uptime.cells} className="h-5" />
            <UptimeLegend />
            <p>{sentenceOf(uptime)}</p>
            {uptime.uptime !== null && uptime.outages.length === 0 && <p className="text-soft">{texts.noOutage}</p>}
            {uptime.outages.length > 0 && (
              <ul className="max-h-60 overflow-auto">
                {uptime.outages.map(({ since, until }) => (
                  <li key={since} className="flex flex-wrap items-baseline gap-x-3 py-0.5">
                    <time dateTime={since} title={format.dateTime(Date.parse(since))}>{timeOf(format, since)}</time>
                    <span className="text-soft">
                      {until === null
                        ? texts.awaySince(timeOf(format, since))
                        : format.duration(Date.parse(until) - Date.parse(since))}
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </div>
        )}
      </ListFrame>
    </Panel>
  )
}
