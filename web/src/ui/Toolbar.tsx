import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react"

const steps: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowRight: (index, count) => (index + 1) % count,
  ArrowLeft: (index, count) => (index - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1
}

/**
 * Buttons that are one stop of Tab, as in the ARIA Authoring Practices: arrows, Home and End move between them. The stop
 * is the button that had the focus last, at first the pressed one.
 */
export const Toolbar = ({ children, className, label }: {
  readonly label: string
  readonly className: string
  readonly children: ReactNode
}) => {
  const bar = useRef<HTMLDivElement>(null)
  const last = useRef<HTMLElement>(undefined)
  /** Those on screen; the panel of a menu has a focus order of its own. */
  const buttons = () =>
    [...bar.current?.querySelectorAll<HTMLElement>("button") ?? []].filter((button) =>
      button.closest("[popover], dialog") === null && button.offsetParent !== null
    )
  const setStop = () => {
    const all = buttons()
    const stop = all.find((button) => button === last.current) ??
      all.find(({ ariaPressed }) => ariaPressed === "true") ??
      all[0]
    for (const button of all) button.tabIndex = button === stop ? 0 : -1
  }
  useEffect(setStop)
  const onKeyDown = (event: KeyboardEvent) => {
    const all = buttons()
    const index = all.findIndex((button) => button === event.target)
    const next = index === -1 ? undefined : steps[event.key]?.(index, all.length)
    if (next === undefined) return
    event.preventDefault()
    all[next]?.focus()
  }
  return (
    <div
      ref={bar}
      role="toolbar"
      aria-label={label}
      className={className}
      onKeyDown={onKeyDown}
      onFocus={({ target }) => {
        if (!buttons().includes(target)) return
        last.current = target
        setStop()
      }}
    >
      {children}
    </div>
  )
}
