import { useNow } from "../format/now.ts"
import { useFormat } from "../format/useFormat.ts"

/** How long ago, with the moment itself on hover. */
export const Time = ({ at, className }: { readonly at: string; readonly className?: string }) => {
  const format = useFormat()
  const now = useNow()
  const time = Date.parse(at)
  return (
    <time dateTime={at} title={format.dateTime(time)} className={className}>
      {format.relative(Math.min(time, now), now)}
    </time>
  )
}
