import type { ReactNode } from "react"
import { Toolbar } from "./Toolbar.tsx"

/** Which rows of a list are on screen, chosen by one press. */
export const Pills = <A extends string | undefined>({ choices, className, isChosen, label, onChoose }: {
  readonly label: string
  readonly className?: string
  /** In their order; undefined is all rows. */
  readonly choices: ReadonlyArray<{
    readonly value: A
    readonly text: ReactNode
    readonly hint?: string
  }>
  readonly isChosen: (value: A) => boolean
  readonly onChoose: (value: A) => void
}) => (
  <Toolbar label={label} className={`flex gap-0.5 overflow-x-auto ${className ?? ""}`}>
    {choices.map(({ hint, text, value }) => (
      <button
        key={value ?? "all"}
        type="button"
        title={hint}
        aria-pressed={isChosen(value)}
        className="inline-flex h-6.5 shrink-0 items-center gap-2 rounded-base px-2 text-soft hover:bg-hover hover:text-ink chosen:bg-press chosen:font-medium chosen:text-ink"
        onClick={() => onChoose(value)}
      >
        {text}
      </button>
    ))}
  </Toolbar>
)
