import { Schema } from "effect"

/** A record's id. */
export const Id = Schema.UUID

/** A record's id as callers give it, in a path or a body: either case is the same id. */
export const caseInsensitiveId = <A extends string>(id: Schema.Schema<A, string>) =>
  Schema.transform(
    Schema.String.annotations({ jsonSchema: { type: "string", format: "uuid" } }),
    id,
    { strict: true, decode: (text) => text.toLowerCase(), encode: (id) => id }
  )

export const IdInput = caseInsensitiveId(Id)

/** The first or last characters of an id, in either case. */
export const IdPart = Schema.compose(
  Schema.Lowercase,
  Schema.String.pipe(Schema.pattern(/^[0-9a-f-]{1,36}$/, { message: () => "must be a part of an id" }))
).annotations({ jsonSchema: { type: "string", pattern: "^[0-9A-Fa-f-]{1,36}$" } })

/*
 * One brand per kind of record, so that two swapped arguments do not compile. Callers get them from decoded bodies,
 * paths and rows; `Ids.nextOf` makes new ones.
 */

export const ProjectId = Id.pipe(Schema.brand("ProjectId"))
export type ProjectId = typeof ProjectId.Type

export const UserId = Id.pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type

export const MembershipId = Id.pipe(Schema.brand("MembershipId"))
export type MembershipId = typeof MembershipId.Type

export const InvitationId = Id.pipe(Schema.brand("InvitationId"))
export type InvitationId = typeof InvitationId.Type

/** A user's sign-in. The connection of an agent has another kind of session, without a record. */
export const SessionId = Id.pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

export const TrustedDeviceId = Id.pipe(Schema.brand("TrustedDeviceId"))
export type TrustedDeviceId = typeof TrustedDeviceId.Type

/** An operation that waits for a second person. */
export const ApprovalId = Id.pipe(Schema.brand("ApprovalId"))
export type ApprovalId = typeof ApprovalId.Type

/** A link between a user and an account of the sign-in provider. */
export const OidcIdentityId = Id.pipe(Schema.brand("OidcIdentityId"))
export type OidcIdentityId = typeof OidcIdentityId.Type

export const ApiKeyId = Id.pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

export const AgentId = Id.pipe(Schema.brand("AgentId"))
export type AgentId = typeof AgentId.Type

/** The id of a worker's row. The engine's own worker name is a separate string. */
export const WorkerId = Id.pipe(Schema.brand("WorkerId"))
export type WorkerId = typeof WorkerId.Type

export const CommandId = Id.pipe(Schema.brand("CommandId"))
export type CommandId = typeof CommandId.Type

export const ScheduleId = Id.pipe(Schema.brand("ScheduleId"))
export type ScheduleId = typeof ScheduleId.Type

/** The id of the stream in which an agent publishes the schedules of one scheduler. */
export const ScheduleStreamId = Id.pipe(Schema.brand("ScheduleStreamId"))
export type ScheduleStreamId = typeof ScheduleStreamId.Type

/** The id of an operation on a schedule of an engine's own scheduler. */
export const ScheduleOperationId = Id.pipe(Schema.brand("ScheduleOperationId"))
export type ScheduleOperationId = typeof ScheduleOperationId.Type

/** The id of a fire's row. The scheduler's idempotency key of a fire is `fire_id` (`domain/schedules/Schedule/Fire.ts`). */
export const FireRowId = Id.pipe(Schema.brand("FireRowId"))
export type FireRowId = typeof FireRowId.Type

export const SearchablePathId = Id.pipe(Schema.brand("SearchablePathId"))
export type SearchablePathId = typeof SearchablePathId.Type

export const SavedViewId = Id.pipe(Schema.brand("SavedViewId"))
export type SavedViewId = typeof SavedViewId.Type

export const RuleId = Id.pipe(Schema.brand("RuleId"))
export type RuleId = typeof RuleId.Type

export const ExecutionId = Id.pipe(Schema.brand("ExecutionId"))
export type ExecutionId = typeof ExecutionId.Type

/** The id of a message to one channel, constant over its attempts. */
export const DeliveryId = Id.pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

/** The id of a row in a user's inbox. */
export const UserNotificationId = Id.pipe(Schema.brand("UserNotificationId"))
export type UserNotificationId = typeof UserNotificationId.Type
export const SubscriptionId = Id.pipe(Schema.brand("SubscriptionId"))
export type SubscriptionId = typeof SubscriptionId.Type

export const AlertId = Id.pipe(Schema.brand("AlertId"))
export type AlertId = typeof AlertId.Type

export const MaintenanceWindowId = Id.pipe(Schema.brand("MaintenanceWindowId"))
export type MaintenanceWindowId = typeof MaintenanceWindowId.Type

/** The id of a deploy that was marked. */
export const DeployId = Id.pipe(Schema.brand("DeployId"))
export type DeployId = typeof DeployId.Type

/** The id of a durable bulk retry. */
export const BulkRetryId = Id.pipe(Schema.brand("BulkRetryId"))
export type BulkRetryId = typeof BulkRetryId.Type

/** The id of a durable bulk job. */
export const BulkJobId = Id.pipe(Schema.brand("BulkJobId"))
export type BulkJobId = typeof BulkJobId.Type

/** The id of an export in the background. */
export const ExportJobId = Id.pipe(Schema.brand("ExportJobId"))
export type ExportJobId = typeof ExportJobId.Type

export const ChannelId = Id.pipe(Schema.brand("ChannelId"))
export type ChannelId = typeof ChannelId.Type

/** An id of every kind, for examples. */
export type AnyId =
  & ChannelId
  & ProjectId
  & UserId
  & MembershipId
  & InvitationId
  & SessionId
  & ApprovalId
  & OidcIdentityId
  & TrustedDeviceId
  & ApiKeyId
  & AgentId
  & WorkerId
  & CommandId
  & ScheduleId
  & ScheduleStreamId
  & ScheduleOperationId
  & FireRowId
  & SavedViewId
  & SearchablePathId
  & RuleId
  & ExecutionId
  & DeliveryId
  & UserNotificationId
  & SubscriptionId
  & AlertId
  & MaintenanceWindowId
  & DeployId
  & BulkRetryId
  & BulkJobId
  & ExportJobId
