import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, Outlet, useMatches, useNavigate, useParams } from "@tanstack/react-router"
import { useEffect } from "react"
import { liveStream } from "../api/live.ts"
import { lazyComponent } from "../code/lazyComponent.tsx"
import { preloadWhenIdle } from "../code/preload.ts"
import { ProjectZone } from "../format/zone.ts"
import { useTexts } from "../i18n/Language.tsx"
import { InboxBell } from "../inbox/InboxBell.tsx"
import { useBrowserNotifications } from "../inbox/useBrowserNotifications.ts"
import { ShellKeys } from "../keys/ShellKeys.tsx"
import type { WallSearch } from "../searchParams.ts"
import { EnrolmentNotice } from "../secondFactor/EnrolmentNotice.tsx"
import { meQuery } from "../session/session.ts"
import { Icon } from "../ui/Icon.tsx"
import { focusFirstRow } from "../ui/rows.ts"
import { AccountMenu } from "./AccountMenu.tsx"
import { rememberProject } from "./lastProject.ts"
import { LiveControl } from "./LiveControl.tsx"
import { Navigation } from "./Navigation.tsx"
import { projectsQuery } from "./projects.ts"
import { UnsavedQuestion } from "./UnsavedQuestion.tsx"
import { useProject } from "./useProject.ts"
import { Wall } from "./Wall.tsx"

// what the frame shows instead of a page is in the same file of the build
export { NotFound } from "./NotFound.tsx"
export { ProjectPages } from "./ProjectPages.tsx"

const BrowserNotifier = lazyComponent(async () => (await import("../inbox/BrowserNotifier.tsx")).BrowserNotifier)

const ProjectSwitch = ({ slug }: { readonly slug: string }) => {
  const { nav: texts } = useTexts()
  const { data: projects = [] } = useQuery(projectsQuery)
  const navigate = useNavigate()
  return (
    <select
      aria-label={texts.switchProject}
      value={slug}
      onChange={({ target }) => void navigate({ to: "/projects/$slug", params: { slug: target.value } })}
      className="h-7.5 max-w-[40vw] min-w-18 truncate rounded-base border border-transparent bg-transparent px-2 font-medium hover:bg-hover"
    >
      {projects.every((project) => project.slug !== slug) && <option value={slug}>{slug}</option>}
      {projects.map((project) => <option key={project.id} value={project.slug}>{project.name}</option>)}
    </select>
  )
}

/** A link past the navigation, on screen while it has the focus. */
const SkipLink = ({ children, onFollow }: { readonly onFollow: () => void; readonly children: string }) => (
  <a
    href="#content"
    className="sr-only rounded-base bg-paper p-2 focus:not-sr-only focus:absolute focus:z-20"
    onClick={(event) => {
      event.preventDefault() // the page's <base> would make it another page
      onFollow()
    }}
  >
    {children}
  </a>
)

/** The frame of every page of a signed-in person. */
export const Shell = () => {
  const texts = useTexts()
  const { slug } = useParams({ strict: false })
  // of the page's own route, which has read the address; that of the frame has its bare text
  const isWall = useMatches({ select: (matches) => (matches.at(-1)?.search as WallSearch | undefined)?.wall === 1 })
  const { data: me } = useQuery(meQuery)
  const { isOn } = useBrowserNotifications()
  const queries = useQueryClient()
  useEffect(() => void preloadWhenIdle(() => queries.isFetching() > 0), [queries])
  const { project, state } = useProject(slug)
  const knownSlug = state === "known" ? slug : undefined
  useEffect(() => {
    if (knownSlug === undefined) return
    rememberProject(knownSlug)
    return liveStream.follow(knownSlug)
  }, [knownSlug])
  if (isWall && slug !== undefined && state !== "missing") {
    return (
      <ProjectZone value={project?.timezone}>
        <Wall name={project?.name ?? slug}>
          <Outlet />
        </Wall>
      </ProjectZone>
    )
  }
  return (
    <ProjectZone value={project?.timezone}>
      <div className="flex h-dvh flex-col">
        <SkipLink onFollow={() => document.getElementById("content")?.focus()}>{texts.skipToContent}</SkipLink>
        <span className="to-rows">
          <SkipLink onFollow={focusFirstRow}>{texts.skipToList}</SkipLink>
        </span>
        <header className="flex h-11 shrink-0 items-center gap-2 border-b border-line px-3">
          <Link
            to="/"
            className="flex shrink-0 items-center gap-2 rounded-base p-1 font-semibold"
            title={texts.nav.allProjects}
          >
            <Icon name="rows" />
            <span className={slug === undefined ? "" : "max-sm:sr-only"}>{texts.productName}</span>
          </Link>
          {slug !== undefined && (
            <>
              <Icon name="chevron" className="shrink-0 text-soft max-sm:hidden" />
              <ProjectSwitch slug={slug} />
            </>
          )}
          <div className="ml-auto flex min-w-0 items-center gap-2">
            <LiveControl hasStream={slug !== undefined && state !== "missing"} />
            <ShellKeys slug={state === "missing" ? undefined : slug} />
            {me && <InboxBell />}
            {me && isOn && <BrowserNotifier />}
            {me && <AccountMenu me={me} />}
          </div>
        </header>
        <EnrolmentNotice />
        <UnsavedQuestion />
        <div className="flex min-h-0 flex-1">
          {slug !== undefined && state !== "missing" && <Navigation slug={slug} />}
          <main id="content" tabIndex={-1} className="min-w-0 flex-1 overflow-auto outline-none max-md:pb-16">
            <Outlet />
          </main>
        </div>
      </div>
    </ProjectZone>
  )
}
