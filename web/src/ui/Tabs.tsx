import { Link } from "@tanstack/react-router"

/** The line below is a shadow, which tabs can cover: a tab that reached out of the bar would make it scroll upright. */
const bar = "flex gap-0.5 overflow-x-auto px-4 shadow-[inset_0_-1px_var(--color-line)]"
const tab =
  "inline-flex h-8.5 shrink-0 items-center border-b-2 border-transparent px-2 text-soft hover:text-ink chosen:border-accent chosen:font-medium chosen:text-ink"

/** Parts of a page, one at a time; the page keeps the choice in its address. */
export const Tabs = <A extends string>({ label, onChoose, tabs, value }: {
  readonly label: string
  readonly tabs: Readonly<Partial<Record<A, string>>>
  readonly value: A
  readonly onChoose: (tab: A) => void
}) => (
  <div role="group" aria-label={label} className={bar}>
    {(Object.entries(tabs) as Array<[A, string]>).map(([name, text]) => ( // its keys are the names
      <button key={name} type="button" aria-pressed={name === value} className={tab} onClick={() => onChoose(name)}>
        {text}
      </button>
    ))}
  </div>
)

/** Pages that belong together, as tabs below the title; each is a link of its own. */
export const PageTabs = ({ label, slug, tabs }: {
  readonly label: string
  readonly slug: string
  readonly tabs: ReadonlyArray<{ readonly to: string; readonly text: string }>
}) => (
  <nav aria-label={label} className={`mb-3 ${bar}`}>
    {tabs.map(({ text, to }) => (
      <Link
        key={to}
        to={to}
        params={{ slug }}
        activeOptions={{ exact: true, includeSearch: false }}
        className={tab}
      >
        {text}
      </Link>
    ))}
  </nav>
)
