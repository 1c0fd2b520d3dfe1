import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../domain/Access.ts"
import { wholeOr } from "../../domain/Query.ts"
import { GivenId } from "../../domain/Text.ts"
import { CreateUser, SetPassword, UpdateUser, UserDetail } from "../../domain/User.ts"
import { Authenticated } from "../Access.ts"

const userId = HttpApiSchema.param("user_id", GivenId)

/** Everybody's accounts, for global admins (bodies: users). */
export class UsersApi extends HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.get("list", "/users")
      .setUrlParams(Schema.Struct({ limit: wholeOr(1, 500, 100), offset: wholeOr(0, 1_000_000, 0) }))
      .addSuccess(Schema.Array(UserDetail))
      .annotate(Access, { caller: "global_admin", scope: "users:read" })
  )
  .add(
    HttpApiEndpoint.post("create", "/users")
      .setPayload(CreateUser)
      .addSuccess(UserDetail, { status: 201 })
      .annotate(Access, { caller: "global_admin", scope: "users:write", mutates: true, stepUp: true, creates: true })
  )
  .add(
    HttpApiEndpoint.get("get")`/users/${userId}`
      .addSuccess(UserDetail)
      .annotate(Access, { caller: "global_admin", scope: "users:read" })
  )
  .add(
    HttpApiEndpoint.patch("update")`/users/${userId}`
      .setPayload(UpdateUser)
      .addSuccess(UserDetail)
      .annotate(Access, { caller: "global_admin", scope: "users:write", mutates: true, stepUp: true })
  )
  .add(
    HttpApiEndpoint.del("delete")`/users/${userId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "global_admin", scope: "users:write", mutates: true, stepUp: true, destructive: true })
  )
  .add(
    HttpApiEndpoint.post("setPassword")`/users/${userId}/password`
      .setPayload(SetPassword)
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "global_admin", scope: "users:write", mutates: true, stepUp: true })
  )
  .middleware(Authenticated)
{}
