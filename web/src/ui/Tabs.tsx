/** The line below is a shadow, which tabs can cover: a tab that reached out of the bar would make it scroll upright. */
export const tabBar = "flex gap-0.5 overflow-x-auto px-4 shadow-[inset_0_-1px_var(--color-line)]"

/** Parts of a page, one at a time; the page keeps the choice in its address. */
export const Tabs = <A extends string>({ label, onChoose, tabs, value }: {
  readonly label: string
  readonly tabs: Readonly<Partial<Record<A, string>>>
  readonly value: A
  readonly onChoose: (tab: A) => void
}) => (
  <div role="group" aria-label={label} className={tabBar}>
    {(Object.entries(tabs) as Array<[A, string]>).map(([name, text]) => ( // its keys are the names
      <button
        key={name}
        type="button"
        aria-pressed={name === value}
        className="h-8.5 shrink-0 border-b-2 border-transparent px-2 text-soft hover:text-ink aria-pressed:border-ink aria-pressed:font-medium aria-pressed:text-ink"
        onClick={() => onChoose(name)}
      >
        {text}
      </button>
    ))}
  </div>
)
