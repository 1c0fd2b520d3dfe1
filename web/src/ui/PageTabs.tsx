import { Link } from "@tanstack/react-router"
import { tabBar } from "./Tabs.tsx"

/** Pages that belong together, as tabs below the title; each is a link of its own. */
export const PageTabs = ({ label, slug, tabs }: {
  readonly label: string
  readonly slug: string
  readonly tabs: ReadonlyArray<{ readonly to: string; readonly text: string }>
}) => (
  <nav aria-label={label} className={`mb-3 ${tabBar}`}>
    {tabs.map(({ text, to }) => (
      <Link
        key={to}
        to={to}
        params={{ slug }}
        activeOptions={{ exact: true, includeSearch: false }}
        className="inline-flex h-8.5 shrink-0 items-center border-b-2 border-transparent px-2 text-soft hover:text-ink aria-[current=page]:border-ink aria-[current=page]:font-medium aria-[current=page]:text-ink"
      >
        {text}
      </Link>
    ))}
  </nav>
)
