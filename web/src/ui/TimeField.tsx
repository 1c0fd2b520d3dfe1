import type { InputHTMLAttributes } from "react"
import { toWallClock } from "../format/wallClock.ts"
import { useZone } from "../format/zone.ts"
import { TextField } from "./Fields.tsx"

/** A labelled time to the minute, by the wall clock of the zone in which times are shown. */
export const TimeField = ({ initial, ...field }: {
  readonly label: string
  readonly hint?: string
  /** Epoch milliseconds. */
  readonly initial?: number | undefined
} & InputHTMLAttributes<HTMLInputElement>) => {
  const zone = useZone()
  return (
    <TextField
      type="datetime-local"
      defaultValue={initial === undefined ? "" : toWallClock(initial, zone)}
      {...field}
    />
  )
}
