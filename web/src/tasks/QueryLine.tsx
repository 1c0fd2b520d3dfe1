import { useEffect, useId, useRef, useState } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { useKeys } from "../keys/useKeys.ts"
import { Icon } from "../ui/Icon.tsx"
import type { QueryProblem } from "./query.ts"

/** Typing filters once it pauses for so long. */
const pauseMillis = 300

export const QueryLine = ({ onSubmit, onType, problems, value }: {
  readonly value: string
  readonly problems: ReadonlyArray<QueryProblem>
  readonly onType: (line: string) => void
  readonly onSubmit: (line: string) => void
}) => {
  const { tasks: texts } = useTexts()
  const [line, setLine] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  const helpId = useId()
  const sent = useRef(value)
  const type = useRef(onType)
  type.current = onType
  useEffect(() => {
    // the address changed by a link or a button, and not by what was typed here
    if (value !== sent.current) setLine(value)
    sent.current = value
  }, [value])
  useEffect(() => {
    if (line === sent.current) return
    const timer = setTimeout(() => {
      sent.current = line
      type.current(line)
    }, pauseMillis)
    return () => clearTimeout(timer)
  }, [line])
  useKeys({
    search: (event) => {
      event.preventDefault()
      input.current?.focus()
    }
  })
  const explain = (problem: QueryProblem) =>
    problem.kind === "quote"
      ? texts.queryErrors.quote
      : problem.kind === "term"
      ? texts.queryErrors.term(problem.term)
      : texts.queryErrors.value(problem.term, problem.value)
  return (
    <form
      role="search"
      className="relative min-w-[16rem] flex-1"
      onSubmit={(event) => {
        event.preventDefault()
        sent.current = line
        onSubmit(line)
      }}
    >
      <Icon name="search" className="absolute top-[7px] left-[9px] text-soft" />
      <input
        ref={input}
        type="search"
        value={line}
        onChange={({ target }) => setLine(target.value)}
        aria-label={texts.query}
        aria-describedby={helpId}
        aria-invalid={problems.length > 0}
        placeholder={texts.queryHint}
        spellCheck={false}
        autoComplete="off"
        maxLength={500}
        className="h-[30px] w-full rounded-base border border-line-strong bg-paper pr-3 pl-[32px] font-mono"
      />
      <p id={helpId} className="sr-only">{texts.queryHelp}</p>
      {problems.length > 0 && (
        <p
          role="alert"
          className="absolute top-full left-0 z-10 mt-1 rounded-base border border-line bg-paper px-4 py-2 text-failure shadow-lg"
        >
          {problems.map(explain).join(" ")}
        </p>
      )}
    </form>
  )
}
