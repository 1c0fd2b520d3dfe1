import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { approvalCodes } from "../../../domain/approvalGate/Approval.ts"
import { CreateUser, SetPassword, UpdateUser, UserDetail } from "../../../domain/identity/User.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { describeField, exampleId } from "../../../domain/kernel/Describe.ts"
import { caseInsensitiveId, UserId } from "../../../domain/kernel/Id.ts"
import { wholeNumber } from "../../../domain/kernel/Query.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { actorGroup } from "../../Groups.ts"

const userId = pathParameter("user_id", caseInsensitiveId(UserId), "The user's id.", exampleId)

/** All accounts, for global admins (bodies: users). */
export class UsersApi extends actorGroup("users", "Users")
  .add(
    HttpApiEndpoint.get("list", "/users")
      .setUrlParams(Schema.Struct({
        limit: describeField(Schema.optional(wholeNumber(1, 500)), "Rows of a page.", 100),
        offset: describeField(Schema.optional(wholeNumber(0, 1_000_000)), "Rows to leave out before.", 0)
      }))
      .addSuccess(Schema.Array(UserDetail))
      .annotate(Access, { caller: "global_admin", scope: "users:read" })
      .annotateContext(operation("List users", "By `offset` and `limit`, newest first."))
  )
  .add(
    HttpApiEndpoint.post("create", "/users")
      .setPayload(CreateUser)
      .addSuccess(UserDetail, { status: 201 })
      .annotate(Access, {
        caller: "global_admin",
        scope: "users:write",
        mutates: true,
        stepUp: true,
        unboundKey: true,
        creates: true,
        failureCodes: ["email_taken", "promote_instead"]
      })
      .annotateContext(operation("Create a user", "With a first password. An invitation lets people choose their own."))
  )
  .add(
    HttpApiEndpoint.get("get")`/users/${userId}`
      .addSuccess(UserDetail)
      .annotate(Access, { caller: "global_admin", scope: "users:read" })
      .annotateContext(operation("Show a user", "An account with its state."))
  )
  .add(
    HttpApiEndpoint.patch("update")`/users/${userId}`
      .setPayload(UpdateUser)
      .addSuccess(UserDetail)
      .annotate(Access, {
        caller: "global_admin",
        scope: "users:write",
        mutates: true,
        stepUp: true,
        unboundKey: true,
        failureCodes: ["last_admin", ...approvalCodes]
      })
      .annotateContext(operation(
        "Change a user",
        "Absent fields stay. An inactive user's sessions and keys stop working at once."
      ))
  )
  .add(
    HttpApiEndpoint.del("delete")`/users/${userId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, {
        caller: "global_admin",
        scope: "users:write",
        mutates: true,
        stepUp: true,
        unboundKey: true,
        destructive: true,
        failureCodes: ["last_admin"]
      })
      .annotateContext(operation(
        "Delete a user",
        "With their sessions, keys and memberships. What they did stays in the audit log."
      ))
  )
  .add(
    HttpApiEndpoint.post("setPassword")`/users/${userId}/password`
      .setPayload(SetPassword)
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "global_admin", scope: "users:write", mutates: true, stepUp: true, unboundKey: true })
      .annotateContext(operation("Set a user's password", "Revokes all of their sessions. Their second factor stays."))
  )
{}
