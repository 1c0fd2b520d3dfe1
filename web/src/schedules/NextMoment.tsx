import { useNow } from "../format/now.ts"
import { useFormat } from "../format/useFormat.ts"
import { isKnownZone } from "../format/zone.ts"

/** A planned moment: how soon it comes, and its time in the chosen zone and in the schedule's, where they differ. */
export const NextMoment = ({ at, zone }: { readonly at: string; readonly zone: string }) => {
  const format = useFormat()
  const now = useNow()
  const time = Date.parse(at)
  const here = format.moment(time)
  const there = isKnownZone(zone) ? format.moment(time, zone) : here
  return (
    <time dateTime={at} title={format.dateTime(time)} className="grid">
      <span className="flex flex-wrap items-baseline gap-x-2 md:whitespace-nowrap">
        {format.relative(time, now)}
        <span className="text-small text-soft">{here}</span>
      </span>
      {there !== here && (
        <span className="text-small whitespace-nowrap text-soft max-md:hidden">
          {there.endsWith(zone) ? there : `${there} · ${zone}`}
        </span>
      )}
    </time>
  )
}
