import { type ReactNode, useId } from "react"

const places = { left: "menu-panel-left", right: "menu-panel-right", up: "menu-panel-up" } as const

/** A button with a panel, on the browser's own popover: it closes on Escape and on a click elsewhere. */
export const Menu = ({ align = "right", button, children, label }: {
  readonly label: string
  readonly button: ReactNode
  readonly align?: keyof typeof places
  readonly children: ReactNode
}) => {
  const id = useId()
  return (
    <div className="menu relative">
      <button
        type="button"
        popoverTarget={id}
        aria-label={label}
        title={label}
        className="inline-flex h-7.5 items-center gap-2 rounded-base px-2 text-soft hover:bg-hover hover:text-ink"
      >
        {button}
      </button>
      <div
        id={id}
        popover="auto"
        className={`menu-panel m-0 rounded-base border border-line bg-paper p-2 text-ink shadow-xl ${places[align]}`}
      >
        {children}
      </div>
    </div>
  )
}
