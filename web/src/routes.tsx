import type { QueryClient } from "@tanstack/react-query"
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  Outlet,
  redirect,
  useRouter
} from "@tanstack/react-router"
import type { ActivitySearch, FeedSearch } from "./activity/ActivityPage.tsx"
import { type SetupEngine, setupEngines } from "./agents/setupEngines.ts"
import type { AuditSearch } from "./audit/AuditPage.tsx"
import { type BacktestDays, backtestDays } from "./automation/backtestDays.ts"
import { type ItemsSearch, itemStatuses, taskOutcomes } from "./bulkRetries/search.ts"
import { lazyPage } from "./code/lazyComponent.tsx"
import { commandStatuses } from "./commands/statuses.ts"
import type { DeadLettersSearch } from "./deadLetters/letters.ts"
import {
  assigneeFilters,
  type FailureGroupSearch,
  type FailuresSearch,
  failureWindows,
  groupFilters,
  groupSorts
} from "./failures/search.ts"
import { readOwnSearch, readSearch } from "./notifications/search.ts"
import { type OverviewSearch, type OverviewWindow, overviewWindows } from "./overview/windows.ts"
import { scheduleFilters, type SchedulesSearch } from "./schedules/search.ts"
import {
  oneOf,
  onlyTrue,
  parseSearch,
  present,
  stringifySearch,
  textIn,
  wallIn,
  type WallSearch
} from "./searchParams.ts"
import { meQuery } from "./session/session.ts"
import { type LongListSearch, parseLongList, parseOldRows } from "./ui/longListSearch.ts"
import { ErrorNotice, Loading } from "./ui/Notices.tsx"

const RouteError = ({ error }: { readonly error: unknown }) => {
  const router = useRouter()
  return <ErrorNotice isPage error={error} onRetry={() => void router.invalidate()} />
}

const rootRoute = createRootRouteWithContext<{ readonly queries: QueryClient }>()({
  component: Outlet
})

export interface SignInSearch {
  /** The path to continue at. */
  readonly to?: string
  /** A session was there and has ended. */
  readonly ended?: boolean
  /** The password was given, and the second factor is pending. */
  readonly factor?: boolean
}

/** Only a path of this site: a link must not lead to another one after the sign-in. */
const readReturn = (to: unknown) => (typeof to === "string" && /^\/(?![/\\])[\x21-\x7e]*$/.test(to) ? to : undefined)

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: ({ ended, factor, to }: Record<string, unknown>): SignInSearch =>
    present({ to: readReturn(to), ended: onlyTrue(ended), factor: onlyTrue(factor) }),
  component: lazyPage(() => import("./session/SignInPage.tsx"), "SignInPage")
})

const requireSession = async ({ context, location }: {
  readonly context: { readonly queries: QueryClient }
  readonly location: { readonly href: string }
}) => {
  const me = await context.queries.ensureQueryData(meQuery)
  if (me === null) throw redirect({ to: "/sign-in", search: location.href === "/" ? {} : { to: location.href } })
}

/** Outside of the frame: its calls are refused while the person must set up a second factor. */
const secondFactorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/second-factor",
  validateSearch: ({ to }: Record<string, unknown>): { readonly to?: string } => present({ to: readReturn(to) }),
  beforeLoad: requireSession,
  component: lazyPage(() => import("./secondFactor/SecondFactorPage.tsx"), "SecondFactorPage")
})

/** What is around the page of a signed-in person; the sign-in does without. */
const frame = () => import("./shell/Shell.tsx")

const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "signed-in",
  beforeLoad: requireSession,
  component: lazyPage(frame, "Shell")
})

/** The window of an overview's charts. */
const overviewSearch = ({ window }: Record<string, unknown>): { readonly window?: OverviewWindow } =>
  present({ window: oneOf(overviewWindows, window) })

const chartsSearch = ({ compare, window }: Record<string, unknown>): OverviewSearch =>
  present({ window: oneOf(overviewWindows, window), compare: onlyTrue(compare) })

const homeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/",
  validateSearch: overviewSearch,
  component: lazyPage(() => import("./home/HomePage.tsx"), "HomePage")
})

const accountTabs = ["profile", "security", "sessions", "keys"] as const

const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/account",
  validateSearch: ({ tab }: Record<string, unknown>): { readonly tab?: (typeof accountTabs)[number] } =>
    present({ tab: oneOf(accountTabs, tab) }),
  component: lazyPage(() => import("./account/AccountPage.tsx"), "AccountPage")
})

const usersRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/users",
  component: lazyPage(() => import("./users/UsersPage.tsx"), "UsersPage")
})

const systemTabs = ["health", "versions", "settings"] as const

interface SystemSearch {
  readonly tab?: (typeof systemTabs)[number]
  /** Of settings: part of a name or description. */
  readonly q?: string
  /** Of settings: only those whose value is no default. */
  readonly set?: boolean
}

const systemRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/system",
  validateSearch: ({ q, set, tab }: Record<string, unknown>): SystemSearch =>
    present({ tab: oneOf(systemTabs, tab), q: textIn(q), set: onlyTrue(set) }),
  component: lazyPage(() => import("./system/SystemPage.tsx"), "SystemPage")
})

const projectRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/projects/$slug",
  component: lazyPage(frame, "ProjectPages")
})

/** Any other address, within the frame: its navigation leads on. */
const otherRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "$",
  component: lazyPage(frame, "NotFound")
})
const otherProjectRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "$",
  component: lazyPage(frame, "NotFound")
})

const peopleRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/people",
  component: lazyPage(() => import("./people/PeoplePage.tsx"), "PeoplePage")
})

const settingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/settings",
  component: lazyPage(() => import("./projectSettings/SettingsPage.tsx"), "SettingsPage")
})

const overviewRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/",
  validateSearch: (search: Record<string, unknown>): OverviewSearch & WallSearch => ({
    ...chartsSearch(search),
    ...wallIn(search)
  }),
  component: lazyPage(() => import("./overview/OverviewPage.tsx"), "OverviewPage")
})

const nameRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/names/$name",
  validateSearch: chartsSearch,
  component: lazyPage(() => import("./names/NamePage.tsx"), "NamePage")
})

const tasksRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/tasks",
  validateSearch: ({ q }: Record<string, unknown>): { readonly q?: string } => present({ q: textIn(q) }),
  component: lazyPage(() => import("./tasks/TasksPage.tsx"), "TasksPage")
})

const taskRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/tasks/$engine/$taskId",
  component: lazyPage(() => import("./tasks/TaskPage.tsx"), "TaskPage")
})

const schedulesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/schedules",
  validateSearch: ({ state, tab, text }: Record<string, unknown>): SchedulesSearch =>
    present({
      tab: oneOf(["misfires", "schedulers"], tab),
      text: textIn(text),
      state: oneOf(scheduleFilters, state)
    }),
  component: lazyPage(() => import("./schedules/SchedulesPage.tsx"), "SchedulesPage")
})

const importSchedulesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/schedules/import",
  component: lazyPage(() => import("./schedules/ImportPage.tsx"), "ImportPage")
})

const scheduleRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/schedules/$scheduleId",
  validateSearch: ({ fire }: Record<string, unknown>): { readonly fire?: string } => present({ fire: textIn(fire) }),
  component: lazyPage(() => import("./schedules/SchedulePage.tsx"), "SchedulePage")
})

const commandsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/commands",
  validateSearch: ({ status }: Record<string, unknown>): { readonly status?: (typeof commandStatuses)[number] } =>
    present({ status: oneOf(commandStatuses, status) }),
  component: lazyPage(() => import("./commands/CommandsPage.tsx"), "CommandsPage")
})

const failuresRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/failures",
  validateSearch: ({ assignee, engine, hours, search, sort, status }: Record<string, unknown>): FailuresSearch =>
    present({
      status: oneOf(groupFilters, status),
      assignee: oneOf(assigneeFilters, assignee),
      search: textIn(search),
      sort: oneOf(groupSorts, sort),
      hours: oneOf(failureWindows, hours),
      engine: textIn(engine)
    }),
  component: lazyPage(() => import("./failures/FailuresPage.tsx"), "FailuresPage")
})

const failureRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/failures/$fingerprint",
  validateSearch: ({ compare, hours }: Record<string, unknown>): FailureGroupSearch =>
    present({ hours: oneOf(failureWindows, hours), compare: onlyTrue(compare) }),
  component: lazyPage(() => import("./failures/FailurePage.tsx"), "FailurePage")
})

const deadLettersRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/dead-letters",
  validateSearch: ({ agent, engine, queue }: Record<string, unknown>): DeadLettersSearch =>
    present({ engine: textIn(engine), queue: textIn(queue), agent: textIn(agent) }),
  component: lazyPage(() => import("./deadLetters/DeadLettersPage.tsx"), "DeadLettersPage")
})

const bulkJobsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/bulk-jobs",
  component: lazyPage(() => import("./bulkJobs/BulkJobsPage.tsx"), "BulkJobsPage")
})

const bulkRetriesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/bulk-retries",
  component: lazyPage(() => import("./bulkRetries/BulkRetriesPage.tsx"), "BulkRetriesPage")
})

const bulkRetryRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/bulk-retries/$requestId",
  validateSearch: ({ outcome, status }: Record<string, unknown>): ItemsSearch =>
    present({ status: oneOf(itemStatuses, status), outcome: oneOf(taskOutcomes, outcome) }),
  component: lazyPage(() => import("./bulkRetries/BulkRetryPage.tsx"), "BulkRetryPage")
})

const queuesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/queues",
  validateSearch: (search: Record<string, unknown>): LongListSearch & WallSearch => ({
    ...parseLongList(search),
    ...wallIn(search)
  }),
  component: lazyPage(() => import("./queues/QueuesPage.tsx"), "QueuesPage")
})

const queueRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/queues/$engine/$queue",
  validateSearch: overviewSearch,
  component: lazyPage(() => import("./queues/QueuePage.tsx"), "QueuePage")
})

const workersRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/workers",
  validateSearch: (
    search: Record<string, unknown>
  ): LongListSearch & WallSearch & { readonly tab?: "processes" | "running" } => ({
    ...parseLongList(search),
    ...wallIn(search),
    ...present({ tab: oneOf(["processes", "running"], search.tab) })
  }),
  component: lazyPage(() => import("./workers/WorkersPage.tsx"), "WorkersPage")
})

const workerRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/workers/$workerId",
  component: lazyPage(() => import("./workers/WorkerPage.tsx"), "WorkerPage")
})

const agentsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/agents",
  validateSearch: parseOldRows,
  component: lazyPage(() => import("./agents/AgentsPage.tsx"), "AgentsPage")
})

const notificationsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/notifications",
  validateSearch: readSearch,
  component: lazyPage(() => import("./notifications/NotificationsPage.tsx"), "NotificationsPage")
})

const alertRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/notifications/alerts/$alertId",
  component: lazyPage(() => import("./notifications/alerts/AlertPage.tsx"), "AlertPage")
})

const automationRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/automation",
  component: lazyPage(() => import("./automation/AutomationPage.tsx"), "AutomationPage")
})

const validateDays = ({ days }: Record<string, unknown>): { readonly days?: BacktestDays } =>
  present({ days: oneOf(backtestDays, days) })

const newRuleRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/automation/new",
  validateSearch: (search: Record<string, unknown>): {
    readonly days?: BacktestDays
    /** The failure group that the rule is for. */
    readonly fingerprint?: string
  } => ({
    ...validateDays(search),
    ...present({ fingerprint: textIn(search.fingerprint) })
  }),
  component: lazyPage(() => import("./automation/RulePage.tsx"), "NewRulePage")
})

const ruleRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/automation/$ruleId",
  validateSearch: validateDays,
  component: lazyPage(() => import("./automation/RulePage.tsx"), "RulePage")
})

const validateActivity = ({ person, prefix }: Record<string, unknown>): ActivitySearch =>
  present({ person: textIn(person), prefix: textIn(prefix) })

const validateFeed = (search: Record<string, unknown>): FeedSearch => ({
  ...validateActivity(search),
  ...present({ machines: onlyTrue(search.machines) })
})

const activityRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/activity",
  validateSearch: validateFeed,
  component: lazyPage(() => import("./activity/ActivityPage.tsx"), "ActivityPage")
})

const allActivityRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/activity",
  validateSearch: validateFeed,
  component: lazyPage(() => import("./activity/ActivityPage.tsx"), "AllActivityPage")
})

const auditRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/audit",
  validateSearch: (search: Record<string, unknown>): AuditSearch => ({
    ...validateActivity(search),
    ...present({
      outcome: oneOf(["allow", "deny"], search.outcome),
      window: oneOf(["1h", "24h", "7d", "30d"], search.window),
      target: textIn(search.target),
      from: textIn(search.from),
      tab: oneOf(["exports"], search.tab)
    })
  }),
  component: lazyPage(() => import("./audit/AuditPage.tsx"), "AuditPage")
})

const approvalTabs = ["pending", "approved", "failed", "rejected", "expired", "all"] as const

const approvalsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/approvals",
  validateSearch: ({ id, status }: Record<string, unknown>): {
    readonly status?: (typeof approvalTabs)[number]
    /** The one that is open. */
    readonly id?: string
  } => present({ status: oneOf(approvalTabs, status), id: textIn(id) }),
  component: lazyPage(() => import("./approvals/ApprovalsPage.tsx"), "ApprovalsPage")
})

const newAgentRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/agents/new",
  validateSearch: ({ engine }: Record<string, unknown>): { readonly engine?: SetupEngine } =>
    present({ engine: oneOf(setupEngines, engine) }),
  component: lazyPage(() => import("./agents/NewAgentPage.tsx"), "NewAgentPage")
})

const agentRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/agents/$agentId",
  component: lazyPage(() => import("./agents/AgentPage.tsx"), "AgentPage")
})

const inboxRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/inbox",
  validateSearch: ({ unread }: Record<string, unknown>): { readonly unread?: true } =>
    present({ unread: onlyTrue(unread) }),
  component: lazyPage(() => import("./inbox/InboxPage.tsx"), "InboxPage")
})

const ownNotificationsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/account/notifications",
  validateSearch: readOwnSearch,
  component: lazyPage(() => import("./notifications/OwnNotificationsPage.tsx"), "OwnNotificationsPage")
})

const routeTree = rootRoute.addChildren([
  signInRoute,
  secondFactorRoute,
  signedInRoute.addChildren([
    homeRoute,
    accountRoute,
    usersRoute,
    systemRoute,
    inboxRoute,
    ownNotificationsRoute,
    allActivityRoute,
    otherRoute,
    projectRoute.addChildren([
      peopleRoute,
      settingsRoute,
      overviewRoute,
      nameRoute,
      tasksRoute,
      taskRoute,
      failuresRoute,
      failureRoute,
      deadLettersRoute,
      schedulesRoute,
      importSchedulesRoute,
      scheduleRoute,
      commandsRoute,
      bulkJobsRoute,
      bulkRetriesRoute,
      bulkRetryRoute,
      queuesRoute,
      queueRoute,
      workersRoute,
      workerRoute,
      agentsRoute,
      newAgentRoute,
      agentRoute,
      notificationsRoute,
      alertRoute,
      automationRoute,
      newRuleRoute,
      ruleRoute,
      approvalsRoute,
      activityRoute,
      auditRoute,
      otherProjectRoute
    ])
  ])
])

export const createDashboardRouter = (queries: QueryClient) =>
  createRouter({
    routeTree,
    basepath: new URL(document.baseURI).pathname,
    parseSearch,
    stringifySearch,
    context: { queries },
    defaultPreload: "intent",
    defaultPendingComponent: Loading,
    defaultErrorComponent: RouteError,
    scrollRestoration: false
  })

declare module "@tanstack/react-router" {
  interface Register {
    readonly router: ReturnType<typeof createDashboardRouter>
  }
}
