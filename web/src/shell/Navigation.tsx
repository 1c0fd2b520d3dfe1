import { Link, useMatchRoute } from "@tanstack/react-router"
import { useWaitingCount } from "../approvals/queries.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan, useCanAudit } from "../session/permissions.ts"
import { Badge } from "../ui/Badge.tsx"
import { Icon, type IconName } from "../ui/Icon.tsx"
import { Menu } from "../ui/Menu.tsx"

interface Page {
  readonly name: IconName & keyof ReturnType<typeof useTexts>["nav"]
  readonly to: string
  /** Pages that belong to this one, and have no entry of their own. */
  readonly also?: ReadonlyArray<string>
  /** The least role that may read the page. */
  readonly role?: "operator" | "admin" | "auditor"
}

/** The pages of a project in the order of the navigation, in groups by what a person wants to do. */
export const pageGroups = [
  [
    { name: "overview", to: "/projects/$slug" },
    { name: "tasks", to: "/projects/$slug/tasks" },
    { name: "failures", to: "/projects/$slug/failures", also: ["/projects/$slug/dead-letters"] },
    { name: "schedules", to: "/projects/$slug/schedules" }
  ],
  [
    { name: "queues", to: "/projects/$slug/queues" },
    { name: "workers", to: "/projects/$slug/workers" },
    { name: "agents", to: "/projects/$slug/agents" }
  ],
  [
    {
      name: "commands",
      to: "/projects/$slug/commands",
      also: ["/projects/$slug/bulk-retries", "/projects/$slug/bulk-jobs"]
    },
    { name: "automation", to: "/projects/$slug/automation" },
    { name: "approvals", to: "/projects/$slug/approvals", role: "operator" },
    { name: "notifications", to: "/projects/$slug/notifications" }
  ],
  [
    { name: "activity", to: "/projects/$slug/activity" },
    { name: "audit", to: "/projects/$slug/audit", role: "auditor" }
  ],
  [
    { name: "people", to: "/projects/$slug/people", role: "admin" },
    { name: "settings", to: "/projects/$slug/settings", role: "admin" }
  ]
] as const satisfies ReadonlyArray<ReadonlyArray<Page>>

const isPage = (page: Page) => page

/** What someone on call needs on a phone; the other pages are behind a button. */
const phonePages: ReadonlySet<string> = new Set(["overview", "tasks", "failures", "notifications"])

/** How many actions wait for this user. */
const WaitingCount = ({ slug }: { readonly slug: string }) => {
  const { approvals: texts } = useTexts()
  const format = useFormat()
  const waiting = useWaitingCount(slug)
  if (waiting === 0) return null
  const count = format.count(waiting)
  return (
    <Badge className="ml-auto">
      <span aria-hidden="true">{count.text}</span>
      <span className="sr-only">{texts.waiting(count)}</span>
    </Badge>
  )
}

const variants = {
  row: "gap-3 px-3",
  // icon above name: five places fit on a phone
  place: "min-w-0 flex-1 flex-col gap-0.5 px-0.5 text-small"
} as const

const PageLink = ({ also, variant = "row", name, slug, to }: Page & {
  readonly slug: string
  readonly variant?: keyof typeof variants
}) => {
  const { nav: texts } = useTexts()
  const matchRoute = useMatchRoute()
  const isAlso = also?.some((page) => matchRoute({ to: page, params: { slug }, fuzzy: true }) !== false) === true
  return (
    <Link
      to={to}
      params={{ slug }}
      aria-current={isAlso ? "page" : undefined}
      activeOptions={{ exact: name === "overview", includeSearch: false }}
      className={`flex items-center rounded-base py-2 text-soft hover:bg-hover hover:text-ink chosen:bg-press chosen:font-medium chosen:text-ink ${
        variants[variant]
      }`}
    >
      <Icon name={name} />
      <span className="max-w-full truncate">{texts[name]}</span>
      {name === "approvals" && <WaitingCount slug={slug} />}
    </Link>
  )
}

type ProjectPage = (typeof pageGroups)[number][number]

/** The pages that the person may see in this project, in their groups; none without a project. */
const useProjectPageGroups = (slug: string | undefined): ReadonlyArray<ReadonlyArray<ProjectPage>> => {
  const isOperator = useCan(slug ?? "", "operator")
  const isAdmin = useCan(slug ?? "", "admin")
  const roles = { admin: isAdmin, operator: isOperator, auditor: useCanAudit(slug ?? "") }
  if (slug === undefined) return []
  return pageGroups.map((group) =>
    (group as ReadonlyArray<ProjectPage>).filter((page) => { // a union of tuples has no filter of its own
      const { role } = isPage(page)
      return role === undefined || roles[role]
    })
  )
}

export const useProjectPages = (slug: string | undefined): ReadonlyArray<ProjectPage> =>
  useProjectPageGroups(slug).flat()

/** Beside the page, and on a phone below it. */
export const Navigation = ({ slug }: { readonly slug: string }) => {
  const { nav: texts } = useTexts()
  const groups = useProjectPageGroups(slug)
  return (
    <>
      <nav
        aria-label={texts.label}
        className="flex w-46 shrink-0 flex-col gap-0.5 overflow-y-auto border-r border-line bg-canvas p-2 max-md:hidden"
      >
        {groups.filter((group) => group.length > 0).map((group) => (
          <div
            key={group[0]?.name}
            className="grid gap-0.5 border-line not-first:mt-2 not-first:border-t not-first:pt-2"
          >
            {group.map((page) => <PageLink key={page.name} slug={slug} {...page} />)}
          </div>
        ))}
      </nav>
      <nav
        aria-label={texts.label}
        className="fixed inset-x-0 bottom-0 z-10 flex items-center justify-around gap-0.5 border-t border-line bg-canvas p-2 md:hidden"
      >
        {groups.flat().filter(({ name }) => phonePages.has(name)).map((page) => (
          <PageLink key={page.name} variant="place" slug={slug} {...page} />
        ))}
        <Menu align="up" label={texts.more} button={<Icon name="more" />}>
          <div className="grid max-h-[70dvh] w-48 gap-0.5 overflow-y-auto">
            {groups.flat().filter(({ name }) => !phonePages.has(name)).map((page) => (
              <PageLink key={page.name} slug={slug} {...page} />
            ))}
          </div>
        </Menu>
      </nav>
    </>
  )
}
