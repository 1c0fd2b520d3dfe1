import { type ChangeEvent, useState } from "react"
import { formatDuration, parseDuration } from "../format/duration.ts"
import { useTexts } from "../i18n/Language.tsx"
import { TextField } from "./Fields.tsx"

/** What a number of the API counts, in milliseconds. */
const unitMillis = { ms: 1, s: 1_000, min: 60_000 } as const

/** Where no smaller bound is given, in milliseconds. */
const longest = 365 * 86_400_000

/**
 * A labelled duration as people type it, such as "15 min" or "4 h". Its value is a number of `unit` as text: what a form
 * has under `name`, and what `onValue` gets. Empty is a value where the field is not required.
 */
export const DurationField = (
  { initial, max: given, min = 0, name, onValue, required = true, unit = "s", ...field }: {
    readonly label: string
    readonly hint?: string
    readonly "data-autofocus"?: true | undefined
    readonly problem?: string | null
    readonly placeholder?: string
    readonly className?: string
    /** A number of `unit`, or "". */
    readonly initial: number | string
    readonly unit?: keyof typeof unitMillis
    /** Numbers of `unit`. */
    readonly min?: number
    readonly max?: number
    readonly required?: boolean
    readonly name?: string
    readonly onValue?: (value: string) => void
  }
) => {
  const { forms: texts } = useTexts()
  const size = unitMillis[unit]
  const max = given ?? longest / size
  const show = (value: number | string) => (value === "" ? "" : formatDuration(Number(value) * size))
  const [text, setText] = useState(() => show(initial))
  const valueOf = (typed: string) => {
    const millis = parseDuration(typed, size)
    return millis === null ? "" : String(Math.round(millis / size))
  }
  const problemOf = (typed: string) => {
    if (typed.trim() === "") return "" // the browser says whether it is required
    const value = valueOf(typed)
    if (value === "") return texts.durationProblem
    return Number(value) < min || Number(value) > max ? texts.durationRange(show(min), show(max)) : ""
  }
  const change = ({ target }: ChangeEvent<HTMLInputElement>) => {
    target.setCustomValidity(problemOf(target.value))
    setText(target.value)
    onValue?.(valueOf(target.value))
  }
  return (
    <>
      <TextField
        {...field}
        required={required}
        autoComplete="off"
        value={text}
        onChange={change}
        onBlur={() => valueOf(text) !== "" && setText(show(valueOf(text)))}
      />
      {name !== undefined && <input type="hidden" name={name} value={valueOf(text)} />}
    </>
  )
}
