import { HttpLayerRouter } from "@effect/platform"
import { Effect, Layer } from "effect"
import * as WebSockets from "../gateway/WebSockets.ts"
import * as AgentLongPollHttp from "../http/agents/AgentLongPoll/Http.ts"
import * as AgentsHttp from "../http/agents/Agents/Http.ts"
import * as AgentSocketHttp from "../http/agents/AgentSocket/Http.ts"
import * as WorkersHttp from "../http/agents/Workers/Http.ts"
import * as AlertsHttp from "../http/alerting/Alerts/Http.ts"
import * as ChannelsHttp from "../http/alerting/Channels/Http.ts"
import * as DeliveriesHttp from "../http/alerting/Deliveries/Http.ts"
import * as InboxHttp from "../http/alerting/Inbox/Http.ts"
import * as MaintenanceWindowsHttp from "../http/alerting/MaintenanceWindows/Http.ts"
import * as SubscriptionsHttp from "../http/alerting/Subscriptions/Http.ts"
import * as ApprovalsHttp from "../http/approvals/Approvals/Http.ts"
import * as AuditExportsHttp from "../http/audit/AuditExports/Http.ts"
import * as AutomationHttp from "../http/automation/Automation/Http.ts"
import * as BulkJobsHttp from "../http/commands/BulkJobs/Http.ts"
import * as BulkRetriesHttp from "../http/commands/BulkRetries/Http.ts"
import * as CommandsHttp from "../http/commands/Commands/Http.ts"
import * as DeadLettersHttp from "../http/commands/DeadLetters/Http.ts"
import * as DashboardHttp from "../http/Dashboard/Http.ts"
import * as DocsHttp from "../http/Docs/Http.ts"
import * as ApiKeysHttp from "../http/identity/ApiKeys/Http.ts"
import * as AuthHttp from "../http/identity/Auth/Http.ts"
import * as InvitationsHttp from "../http/identity/Invitations/Http.ts"
import * as MembershipsHttp from "../http/identity/Memberships/Http.ts"
import * as MfaHttp from "../http/identity/Mfa/Http.ts"
import * as OidcHttp from "../http/identity/Oidc/Http.ts"
import * as PasswordResetHttp from "../http/identity/PasswordReset/Http.ts"
import * as ProjectsHttp from "../http/identity/Projects/Http.ts"
import * as SetupHttp from "../http/identity/Setup/Http.ts"
import * as UsersHttp from "../http/identity/Users/Http.ts"
import { Authorize } from "../http/middleware/Authorize.ts"
import { Cookies } from "../http/middleware/Cookies.ts"
import * as Request from "../http/middleware/Request.ts"
import * as ActivityHttp from "../http/operations/Activity/Http.ts"
import * as AdminHttp from "../http/operations/Admin/Http.ts"
import * as AuditHttp from "../http/operations/Audit/Http.ts"
import * as DeploysHttp from "../http/operations/Deploys/Http.ts"
import * as HealthHttp from "../http/operations/Health/Http.ts"
import * as HomeHttp from "../http/operations/Home/Http.ts"
import * as MetricsHttp from "../http/operations/Metrics/Http.ts"
import { apiRoutes } from "../http/Routes.ts"
import * as SchedulersHttp from "../http/schedules/Schedulers/Http.ts"
import * as SchedulesHttp from "../http/schedules/Schedules/Http.ts"
import * as EventsHttp from "../http/tasks/Events/Http.ts"
import * as FailuresHttp from "../http/tasks/Failures/Http.ts"
import * as QueuesHttp from "../http/tasks/Queues/Http.ts"
import * as SavedViewsHttp from "../http/tasks/SavedViews/Http.ts"
import * as SearchablePathsHttp from "../http/tasks/SearchablePaths/Http.ts"
import * as StreamHttp from "../http/tasks/Stream/Http.ts"
import * as TaskExportsHttp from "../http/tasks/TaskExports/Http.ts"
import * as TasksHttp from "../http/tasks/Tasks/Http.ts"
import * as TrendsHttp from "../http/tasks/Trends/Http.ts"
import { DashboardPages } from "../services/kernel/DashboardPages.ts"
import { ResponseBudget } from "../services/kernel/ResponseBudget.ts"
import * as NodeServer from "./NodeServer.ts"

const handlers = Layer.mergeAll(
  HealthHttp.layer,
  StreamHttp.layer,
  SetupHttp.layer,
  AuthHttp.layer,
  PasswordResetHttp.layer,
  MfaHttp.layer,
  OidcHttp.layer,
  ApiKeysHttp.layer,
  UsersHttp.layer,
  ProjectsHttp.layer,
  MembershipsHttp.layer,
  InvitationsHttp.layer,
  AgentsHttp.layer,
  AgentLongPollHttp.layer,
  BulkJobsHttp.layer,
  BulkRetriesHttp.layer,
  CommandsHttp.layer,
  SchedulesHttp.layer,
  SchedulersHttp.layer,
  QueuesHttp.layer,
  DeadLettersHttp.layer,
  WorkersHttp.layer,
  TasksHttp.layer,
  TaskExportsHttp.layer,
  FailuresHttp.layer,
  TrendsHttp.layer,
  DeploysHttp.layer,
  HomeHttp.layer,
  SavedViewsHttp.layer,
  SearchablePathsHttp.layer,
  SubscriptionsHttp.layer,
  MaintenanceWindowsHttp.layer,
  ChannelsHttp.layer,
  ChannelsHttp.layerPersonal,
  AlertsHttp.layer,
  ApprovalsHttp.layer,
  DeliveriesHttp.layer,
  AutomationHttp.layer,
  EventsHttp.layer,
  InboxHttp.layer,
  ActivityHttp.layer,
  AuditHttp.layer,
  AuditExportsHttp.layer,
  AdminHttp.layer
)

const routesIn = <E, R>(request: Layer.Layer<never, E, R>) =>
  Layer.mergeAll(
    apiRoutes.pipe(Layer.provide(handlers)),
    HealthHttp.rootRoutes,
    MetricsHttp.routes,
    AgentSocketHttp.routes,
    DocsHttp.routes,
    request
  ).pipe(
    Layer.provide(ResponseBudget.layer),
    Layer.provideMerge(Authorize.layer),
    Layer.provideMerge(Cookies.layer)
  )

/** Every route of the brain, for a server that is its own. Needs the services of `Brain.layer`. */
export const layerRoutes = DashboardHttp.routes.pipe(Layer.provideMerge(routesIn(Request.layer)))

/**
 * The routes except `/`, beside another application's routes on one router: paths outside the brain's are untouched.
 */
export const layerRoutesShared = routesIn(Request.layerShared).pipe(
  Layer.provide(Layer.effectDiscard(Effect.flatMap(DashboardPages, ({ leaveOut }) => leaveOut)))
)

/** How routes are served: ids of tasks in paths may be long and hold any character. */
export const options = {
  disableLogger: true,
  disableListenLog: true,
  routerConfig: { maxParamLength: 2000, caseSensitive: true, ignoreTrailingSlash: true, ignoreDuplicateSlashes: true }
} as const

/** The agents' WebSockets on the server of `listening`, which ends with them. */
export const layerAgentSockets = WebSockets.layer

/** A server on the settings' host and port that drains when it ends, and responds with 503 until routes are served. */
export const layerListener = NodeServer.layer

/** The served routes, and the agents' WebSockets, on the server of `listening`. */
export const layerServed = layerAgentSockets.pipe(Layer.provideMerge(HttpLayerRouter.serve(layerRoutes, options)))

/** The served routes with their server, which listens once the brain is built. */
export const layer = Layer.provideMerge(layerServed, layerListener)
