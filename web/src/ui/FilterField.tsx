import { useEffect, useRef, useState } from "react"
import { leaveFilter } from "./rows.ts"

/**
 * The text that filters the page's list while a person types it. `/` leads here; Enter or Escape leaves it for the first
 * row, and where no row is left, Enter stays. The page keeps the text in its address, which lags behind fast typing, so
 * the field has it too.
 */
export const FilterField = ({ label, onType, value }: {
  readonly label: string
  readonly value: string
  readonly onType: (text: string) => void
}) => {
  const [typed, setTyped] = useState(value)
  const [isLeaving, setLeaving] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  /** What was typed and the address does not have yet. */
  const sent = useRef<ReadonlyArray<string>>([])
  useEffect(() => {
    const known = sent.current.indexOf(value)
    sent.current = known === -1 ? [] : sent.current.slice(known + 1)
    if (known === -1) setTyped(value) // a link or a button changed it
  }, [value])
  useEffect(() => {
    if (!isLeaving || value !== typed) return
    setLeaving(false)
    leaveFilter(input.current)
  }, [isLeaving, value, typed])
  return (
    <form role="search" className="max-md:w-full" onSubmit={(event) => event.preventDefault()}>
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={label}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value)
          sent.current = [...sent.current, target.value]
          setLeaving(false)
          onType(target.value)
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return
          event.preventDefault() // Escape would empty the field
          if (event.key === "Escape") event.currentTarget.blur()
          setLeaving(true)
        }}
        className="h-7.5 w-65 rounded-base border border-line-strong bg-paper px-3 max-md:w-full"
      />
    </form>
  )
}
