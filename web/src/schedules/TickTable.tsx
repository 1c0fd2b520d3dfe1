import type { Schemas } from "../api/client.ts"
import { useNow } from "../format/now.ts"
import { useFormat } from "../format/useFormat.ts"
import { isKnownZone } from "../format/zone.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Badge } from "../ui/Badge.tsx"

type Tick = Schemas["ScheduleTick"]

/** How a change of clocks moves or doubles a tick, in a word, and explained on hover. */
const ClockMark = ({ dst }: { readonly dst: Tick["dst"] }) => {
  const { schedules: { dst: texts } } = useTexts()
  if (dst === null) return null
  return (
    <Badge tone="note" title={dst === "gap" ? texts.gapHint : texts.overlapHint}>
      {dst === "gap" ? texts.gap : texts.overlap}
    </Badge>
  )
}

/** The next tick that a change of clocks moves or doubles, where it comes after those that are listed. */
const LaterDst = ({ nextDst, ticks, zone }: {
  readonly nextDst: Tick | null
  readonly ticks: ReadonlyArray<Tick>
  readonly zone: string
}) => {
  const { schedules: { dst: texts } } = useTexts()
  const format = useFormat()
  if (nextDst === null || nextDst.at <= (ticks.at(-1)?.at ?? "")) return null
  const moment = isKnownZone(zone) ? format.moment(Date.parse(nextDst.at), zone) : nextDst.local
  return (
    <p className="border-t border-line px-4 py-3 text-small text-soft">
      {`${texts.next(moment)} ${nextDst.dst === "gap" ? texts.gapHint : texts.overlapHint}`}
    </p>
  )
}

/**
 * Ticks in the person's zone and in the schedule's, with what a change of clocks does to them and to the first later one
 * that it concerns.
 */
export const TickTable = ({ isNarrow = false, label, nextDst, ticks, zone }: {
  readonly label: string
  readonly ticks: ReadonlyArray<Tick>
  readonly nextDst: Tick | null
  readonly zone: string
  /** The schedule's zone is below the person's instead of beside it. */
  readonly isNarrow?: boolean
}) => {
  const { schedules: { dst, page: texts } } = useTexts()
  const format = useFormat()
  const now = useNow()
  const zoneIsKnown = isKnownZone(zone)
  const inZone = ({ at, local }: Tick) => (zoneIsKnown ? format.moment(Date.parse(at), zone) : local)
  const isOneZone = ticks.every((tick) => inZone(tick) === format.moment(Date.parse(tick.at)))
  const marks = new Set(ticks.flatMap(({ dst }) => (dst === null ? [] : [dst])))
  return (
    <div className="overflow-x-auto" role="group" aria-label={label} tabIndex={0}>
      <table className="figures w-full border-collapse">
        <thead>
          <tr className="border-b border-line text-left text-small text-soft">
            <th scope="col" className="h-7.5 px-4 font-normal">
              {isOneZone ? texts.bothZones(zone) : isNarrow ? `${texts.yours} / ${texts.itsOwn(zone)}` : texts.yours}
            </th>
            {!isOneZone && !isNarrow && <th scope="col" className="px-2 font-normal">{texts.itsOwn(zone)}</th>}
            <th scope="col" className="px-4 text-right font-normal">
              <span className="sr-only">{texts.tick}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {ticks.map((tick) => {
            const { at, dst, fires_before } = tick
            const time = Date.parse(at)
            const itsOwn = (
              <span className="flex flex-wrap items-center gap-x-2 text-soft">
                <span className="whitespace-nowrap max-md:whitespace-normal">{inZone(tick)}</span>
                <ClockMark dst={dst} />
              </span>
            )
            return (
              <tr key={at} className="border-b border-line last:border-0">
                <td className="h-7.5 px-4 py-1 whitespace-nowrap max-md:whitespace-normal">
                  <span className="flex flex-wrap items-center gap-x-2">
                    <time dateTime={at}>{format.moment(time)}</time>
                    {isOneZone && <ClockMark dst={dst} />}
                  </span>
                  {!isOneZone && isNarrow && itsOwn}
                </td>
                {!isOneZone && !isNarrow && <td className="px-2">{itsOwn}</td>}
                <td className="px-4 text-right whitespace-nowrap text-soft">
                  {format.relative(time, now)}
                  {fires_before !== at && (
                    <span className="block text-small">
                      {texts.jitterUpTo(format.duration(Date.parse(fires_before) - time))}
                    </span>
                  )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {marks.size > 0 && (
        <ul className="grid gap-1 border-t border-line px-4 py-3 text-small text-soft">
          {marks.has("gap") && <li>{`${dst.gap}: ${dst.gapHint}`}</li>}
          {marks.has("overlap") && <li>{`${dst.overlap}: ${dst.overlapHint}`}</li>}
        </ul>
      )}
      <LaterDst nextDst={nextDst} ticks={ticks} zone={zone} />
    </div>
  )
}
