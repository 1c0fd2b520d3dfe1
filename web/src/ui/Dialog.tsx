import { type ReactNode, useEffect, useId, useRef } from "react"

const widths = { base: "w-[min(32rem,calc(100vw-32px))]", large: "w-[min(56rem,calc(100vw-32px))]" } as const

/**
 * A modal question, on the browser's own dialog: it traps the focus, and Escape closes it. So does a click beside it, until
 * the person has filled in something.
 */
export const Dialog = ({ children, isKept = false, onClose, size = "base", title }: {
  readonly title: string
  readonly size?: keyof typeof widths
  /** A click beside it does not close it, as it has what would be lost. */
  readonly isKept?: boolean
  readonly onClose: () => void
  /** Closing by its argument gives the focus back to where it was. */
  readonly children: (close: () => void) => ReactNode
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  /** The pointer went down beside the dialog: a selection of text that is dragged there also ends in a click on it. */
  const isPressed = useRef(false)
  const hasInput = useRef(false)
  useEffect(() => {
    dialog.current?.showModal()
    // React's autoFocus comes before the dialog is open, and would be lost
    dialog.current?.querySelector<HTMLElement>("[data-autofocus]")?.focus()
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onClose={onClose}
      onInput={() => {
        hasInput.current = true
      }}
      onPointerDown={({ currentTarget, target }) => {
        isPressed.current = target === currentTarget
      }}
      onClick={({ currentTarget, target }) => {
        if (target === currentTarget && isPressed.current && !isKept && !hasInput.current) currentTarget.close()
      }}
      className={`m-auto ${widths[size]} rounded-large border border-line bg-paper p-0 text-ink shadow-xl`}
    >
      <div className="p-6">
        <h2 id={titleId} className="text-large font-semibold">{title}</h2>
        {children(() => dialog.current?.close())}
      </div>
    </dialog>
  )
}
