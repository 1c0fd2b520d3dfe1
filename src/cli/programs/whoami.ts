import { Effect, Option } from "effect"
import { print, remotely } from "../Remote.ts"
import { fields } from "../Table.ts"

export const run = ({ json }: { readonly json: boolean }) =>
  remotely(Option.none(), ({ access, api }) =>
    Effect.flatMap(api.auth.me({ withResponse: true }), (answer) =>
      print(answer, json, ({ display_name, email, is_admin, memberships }) =>
        fields([
          ["email", email],
          ["name", display_name],
          ["role", is_admin ? "global admin" : null],
          ...memberships.map(({ project_slug, role }) => ["project", `${project_slug} (${role})`] as const),
          ["brain", access.url],
          ["key from", access.from]
        ]))))
