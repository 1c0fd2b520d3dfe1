import { HttpApi } from "@effect/platform"
import {
  BadRequest,
  Conflict,
  Forbidden,
  Gone,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  RateLimited,
  Unauthenticated,
  Unavailable,
  UnsupportedMediaType,
  ValidationFailed
} from "../domain/kernel/Errors.ts"
import { AgentLongPollApi } from "./agents/AgentLongPoll/Api.ts"
import { AgentsApi } from "./agents/Agents/Api.ts"
import { WorkersApi } from "./agents/Workers/Api.ts"
import { AlertLinksApi, AlertPageApi, AlertsApi } from "./alerting/Alerts/Api.ts"
import { ChannelsApi, UserChannelsApi } from "./alerting/Channels/Api.ts"
import { DeliveriesApi, UserDeliveriesApi } from "./alerting/Deliveries/Api.ts"
import { InboxApi } from "./alerting/Inbox/Api.ts"
import { MaintenanceWindowsApi } from "./alerting/MaintenanceWindows/Api.ts"
import { DefaultSubscriptionsApi, UserSubscriptionsApi } from "./alerting/Subscriptions/Api.ts"
import { reportAllIssues } from "./AllIssues.ts"
import { ApprovalsApi } from "./approvals/Approvals/Api.ts"
import { AuditExportsApi } from "./audit/AuditExports/Api.ts"
import { AutomationApi } from "./automation/Automation/Api.ts"
import { BulkJobsApi } from "./commands/BulkJobs/Api.ts"
import { BulkRetriesApi } from "./commands/BulkRetries/Api.ts"
import { CommandsApi } from "./commands/Commands/Api.ts"
import { DeadLettersApi } from "./commands/DeadLetters/Api.ts"
import { ApiKeysApi } from "./identity/ApiKeys/Api.ts"
import { AuthApi, LoginApi } from "./identity/Auth/Api.ts"
import { InvitationApi, InvitationPageApi, InvitationsApi } from "./identity/Invitations/Api.ts"
import { MembershipsApi } from "./identity/Memberships/Api.ts"
import { MfaApi } from "./identity/Mfa/Api.ts"
import { OidcApi, OidcSignInApi } from "./identity/Oidc/Api.ts"
import { PasswordResetApi, PasswordResetPageApi } from "./identity/PasswordReset/Api.ts"
import { ProjectApi, ProjectsApi } from "./identity/Projects/Api.ts"
import { SetupApi, SetupUnderApi } from "./identity/Setup/Api.ts"
import { UsersApi } from "./identity/Users/Api.ts"
import { ActivityApi } from "./operations/Activity/Api.ts"
import { AdminApi } from "./operations/Admin/Api.ts"
import { AuditApi } from "./operations/Audit/Api.ts"
import { DeploysApi } from "./operations/Deploys/Api.ts"
import { HealthApi, SystemApi } from "./operations/Health/Api.ts"
import { HomeApi } from "./operations/Home/Api.ts"
import { problemSchema } from "./ProblemSchema.ts"
import { SchedulersApi } from "./schedules/Schedulers/Api.ts"
import { SchedulesApi } from "./schedules/Schedules/Api.ts"
import { EventsApi } from "./tasks/Events/Api.ts"
import { FailuresApi } from "./tasks/Failures/Api.ts"
import { QueuesApi } from "./tasks/Queues/Api.ts"
import { SavedViewsApi } from "./tasks/SavedViews/Api.ts"
import { SearchablePathsApi } from "./tasks/SearchablePaths/Api.ts"
import { StreamApi } from "./tasks/Stream/Api.ts"
import { TaskExportsApi } from "./tasks/TaskExports/Api.ts"
import { TasksApi } from "./tasks/Tasks/Api.ts"
import { TrendsApi } from "./tasks/Trends/Api.ts"

/**
 * The whole API. Safe to import in a browser: definitions only.
 * Every endpoint carries its `Access`; the errors are the house's closed set.
 */
const groups = HttpApi.make("svc")
  .add(HealthApi)
  .add(SystemApi)
  .add(SetupUnderApi)
  .add(LoginApi)
  .add(AuthApi)
  .add(ApprovalsApi)
  .add(OidcSignInApi)
  .add(OidcApi)
  .add(PasswordResetApi)
  .add(MfaApi)
  .add(ApiKeysApi)
  .add(UsersApi)
  .add(StreamApi)
  .add(ProjectsApi)
  .add(ProjectApi)
  .add(MembershipsApi)
  .add(InvitationsApi)
  .add(InvitationApi)
  .add(AgentsApi)
  .add(AgentLongPollApi)
  .add(CommandsApi)
  .add(BulkRetriesApi)
  .add(BulkJobsApi)
  .add(SchedulersApi)
  .add(SchedulesApi)
  .add(QueuesApi)
  .add(DeadLettersApi)
  .add(WorkersApi)
  .add(TasksApi)
  .add(TaskExportsApi)
  .add(FailuresApi)
  .add(TrendsApi)
  .add(DeploysApi)
  .add(HomeApi)
  .add(SavedViewsApi)
  .add(SearchablePathsApi)
  .add(DefaultSubscriptionsApi)
  .add(UserSubscriptionsApi)
  .add(MaintenanceWindowsApi)
  .add(ChannelsApi)
  .add(UserChannelsApi)
  .add(AlertsApi)
  .add(AlertLinksApi)
  .add(DeliveriesApi)
  .add(UserDeliveriesApi)
  .add(InboxApi)
  .add(AutomationApi)
  .add(EventsApi)
  .add(ActivityApi)
  .add(AuditApi)
  .add(AuditExportsApi)
  .add(AdminApi)

export class Api extends groups
  .addError(problemSchema(BadRequest))
  .addError(problemSchema(Unauthenticated))
  .addError(problemSchema(Forbidden))
  .addError(problemSchema(NotFound))
  .addError(problemSchema(MethodNotAllowed))
  .addError(problemSchema(Conflict))
  .addError(problemSchema(Gone))
  .addError(problemSchema(PayloadTooLarge))
  .addError(problemSchema(UnsupportedMediaType))
  .addError(problemSchema(ValidationFailed))
  .addError(problemSchema(RateLimited))
  .addError(problemSchema(Unavailable))
  .prefix("/api/v1")
  .add(SetupApi)
  .add(PasswordResetPageApi)
  .add(InvitationPageApi)
  .add(AlertPageApi)
{}

reportAllIssues(Api)
