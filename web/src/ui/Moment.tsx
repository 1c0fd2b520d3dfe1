import { useNow } from "../format/now.ts"
import { useFormat } from "../format/useFormat.ts"

/** How far a time is away, also one in the future, with the moment itself on hover. `Time` is for what has happened. */
export const Moment = ({ at }: { readonly at: string }) => {
  const format = useFormat()
  const now = useNow()
  const time = Date.parse(at)
  return <time dateTime={at} title={format.dateTime(time)}>{format.relative(time, now)}</time>
}
