import { useNow } from "../format/now.ts"
import { useFormat } from "../format/useFormat.ts"

/** How long ago, with the moment itself on hover; a planned moment, such as an expiry, may be ahead. */
export const Time = ({ at, className, isPlanned = false }: {
  readonly at: string
  readonly className?: string
  /** Without it a moment ahead is shown as now: the clock of the brain may be some seconds ahead of the browser's. */
  readonly isPlanned?: boolean
}) => {
  const format = useFormat()
  const now = useNow()
  const time = Date.parse(at)
  return (
    <time dateTime={at} title={format.dateTime(time)} className={className}>
      {format.relative(isPlanned ? time : Math.min(time, now), now)}
    </time>
  )
}
