import { type ReactNode, useId } from "react"

/** A titled part of a page. */
export const Panel = ({ actions, children, title }: {
  readonly title: string
  /** Beside the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}) => {
  const id = useId()
  return (
    <section aria-labelledby={id} className="rounded-base border border-line bg-paper">
      <div className="flex min-h-9.5 flex-wrap items-center gap-2 border-b border-line px-4 py-0.5">
        <h2 id={id} className="font-semibold">{title}</h2>
        {actions !== undefined && (
          <div className="ml-auto flex min-w-0 flex-wrap items-center justify-end gap-2">{actions}</div>
        )}
      </div>
      {children}
    </section>
  )
}

/** Names with their values, as many beside each other as fit. */
export const Facts = ({ children }: { readonly children: ReactNode }) => (
  <dl className="grid grid-cols-[repeat(auto-fill,minmax(130px,1fr))] gap-3 px-4 py-3">{children}</dl>
)

export const Fact = ({ children, name }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="grid gap-0.5">
    <dt className="text-small text-soft">{name}</dt>
    <dd className="min-w-0 truncate">{children}</dd>
  </div>
)
