import { type KeyboardEvent as ReactKeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from "react"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Icon } from "../ui/Icon.tsx"
import { complete, type CompletionOption, moveChoice } from "./completion.ts"
import { placePrefixes, queryExample, type QueryProblem, queryTerms } from "./queryTokens.ts"
import { useKnownValues } from "./useKnownValues.ts"

/** Typing filters once it pauses for so long. */
const pauseMillis = 300

/**
 * The line that filters the tasks, with completion: a combobox as in the ARIA Authoring Practices. No option is chosen
 * until a person moves to one, so that Enter filters by what was typed.
 */
export const QueryLine = ({ onLeave, onSubmit, onType, problems, refusal, slug, value }: {
  readonly slug: string
  readonly value: string
  readonly problems: ReadonlyArray<QueryProblem>
  /** Why the brain refused the query. */
  readonly refusal: string | null
  readonly onType: (line: string) => void
  readonly onSubmit: (line: string) => void
  /** By Escape: the person goes on to the rows. */
  readonly onLeave: (line: string) => void
}) => {
  const { tasks: texts } = useTexts()
  const format = useFormat()
  const [line, setLine] = useState(value)
  const [caret, setCaret] = useState(value.length)
  const [isOpen, setOpen] = useState(false)
  const [isUsed, setUsed] = useState(false)
  /** The label of the option that the person chose: late values move it, or take it away. */
  const [chosen, setChosen] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const known = useKnownValues(slug, isUsed)
  const close = () => {
    setOpen(false)
    setChosen(null)
  }
  const sent = useRef(value)
  const type = useRef(onType)
  type.current = onType
  useEffect(() => {
    // the address changed by a link or a button, and not by what was typed here
    if (value !== sent.current) {
      setLine(value)
      close()
    }
    sent.current = value
  }, [value])
  useEffect(() => {
    if (line === sent.current) return
    const timer = setTimeout(() => {
      if (line === sent.current) return // submitted within the pause: the person may be on the way to another page
      sent.current = line
      type.current(line)
    }, pauseMillis)
    return () => clearTimeout(timer)
  }, [line])
  // before the next key, which would be typed elsewhere
  const wantedCaret = useRef<number | null>(null)
  useLayoutEffect(() => {
    if (wantedCaret.current === null) return
    input.current?.setSelectionRange(wantedCaret.current, wantedCaret.current)
    wantedCaret.current = null
  })
  const completion = isOpen ? complete(line, caret, known) : null
  const options = completion?.options ?? []
  const active = options.findIndex(({ label }) => label === chosen)
  const insert = ({ insert }: CompletionOption) => {
    if (completion === null) return
    const isTerm = insert.endsWith(":")
    const rest = line.slice(completion.to)
    const text = `${insert}${isTerm || /^[\s,)]/.test(rest) ? "" : " "}`
    const newCaret = completion.from + text.length
    setLine(line.slice(0, completion.from) + text + rest)
    setCaret(newCaret)
    setChosen(null)
    setOpen(isTerm)
    wantedCaret.current = newCaret
  }
  const send = (receive: (line: string) => void) => {
    sent.current = line
    close()
    receive(line)
  }
  const onKeyDown = (event: ReactKeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault()
      if (options.length === 0) {
        setCaret(input.current?.selectionStart ?? line.length)
        setOpen(true)
        return
      }
      setChosen(moveChoice(options, chosen, event.key === "ArrowDown" ? 1 : -1))
    } else if (event.key === "Escape") {
      event.preventDefault()
      if (options.length > 0) close()
      else {
        send(onLeave)
        input.current?.blur()
      }
    } else if (event.key === "Enter") {
      const option = options[active]
      if (option === undefined) return
      event.preventDefault()
      insert(option)
    }
  }
  const explain = (problem: QueryProblem) =>
    problem.kind === "quote"
      ? texts.queryErrors.quote
      : problem.kind === "term"
      ? texts.queryErrors.term(problem.term)
      : texts.queryErrors.value(problem.term, problem.value)
  const problemText = problems.length > 0 ? problems.map(explain).join(" ") : refusal
  return (
    <form
      role="search"
      className="relative min-w-64 flex-1 max-md:basis-full"
      onSubmit={(event) => {
        event.preventDefault()
        send(onSubmit)
      }}
    >
      <Icon name="search" className="absolute top-1.75 left-2.25 text-soft" />
      <input
        ref={input}
        type="text"
        role="combobox"
        enterKeyHint="search"
        value={line}
        onChange={({ target }) => {
          setLine(target.value)
          setCaret(target.selectionStart ?? target.value.length)
          setChosen(null)
          setOpen(true)
        }}
        onKeyDown={onKeyDown}
        onSelect={({ currentTarget }) => {
          const newCaret = currentTarget.selectionStart ?? 0
          if (newCaret === caret) return
          setCaret(newCaret)
          setChosen(null)
        }}
        onFocus={() => setUsed(true)}
        onBlur={close}
        aria-label={texts.query}
        aria-describedby={`${id}-help`}
        aria-invalid={problemText !== null}
        aria-autocomplete="list"
        aria-expanded={options.length > 0}
        aria-controls={`${id}-options`}
        aria-activedescendant={options[active] === undefined ? undefined : `${id}-${active}`}
        placeholder={queryExample}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        maxLength={1000}
        className="h-7.5 w-full rounded-base border border-line-strong bg-paper pr-2 pl-8 font-mono"
      />
      <p id={`${id}-help`} className="sr-only">
        {texts.queryHelp(format.list([...queryTerms, ...placePrefixes], "and"))}
      </p>
      <div className="absolute top-full left-0 z-10 mt-0.5 grid w-full max-w-120 gap-0.5">
        {problemText !== null && (
          <p role="alert" className="rounded-base border border-line bg-paper px-3 py-1 text-failure shadow-lg">
            {problemText}
          </p>
        )}
        <ul
          id={`${id}-options`}
          role="listbox"
          aria-label={texts.completions}
          hidden={options.length === 0}
          className="rounded-base border border-line bg-paper p-0.5 font-mono shadow-lg"
        >
          {options.map((option, index) => (
            <li
              key={option.label}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              className="cursor-default truncate rounded-small px-2 py-0.5 hover:bg-hover aria-selected:bg-press"
              // a click keeps the focus in the line
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => insert(option)}
            >
              {option.label}
            </li>
          ))}
        </ul>
      </div>
    </form>
  )
}
