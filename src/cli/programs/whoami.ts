import { Effect, Option } from "effect"
import { printAnswer, withRemote } from "../Remote.ts"
import { formatFields } from "../Table.ts"

export const run = ({ json }: { readonly json: boolean }) =>
  withRemote(Option.none(), ({ access, api }) =>
    Effect.flatMap(api.auth.me({ withResponse: true }), (answer) =>
      printAnswer(answer, json, ({ display_name, email, is_admin, memberships }) =>
        formatFields([
          ["email", email],
          ["name", display_name],
          ["role", is_admin ? "global admin" : null],
          ...memberships.map(({ project_slug, role }) => ["project", `${project_slug} (${role})`] as const),
          ["brain", access.url],
          ["key from", access.from]
        ]))))
