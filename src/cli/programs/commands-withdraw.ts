import { Effect, type Option } from "effect"
import { commandIdOf, shown } from "../Issue.ts"
import { print, remotely } from "../Remote.ts"

export const run = ({ commandId, json, project }: {
  readonly commandId: string
  readonly project: Option.Option<string>
  readonly json: boolean
}) =>
  remotely(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const command_id = yield* commandIdOf(commandId)
      yield* print(yield* api.commands.cancel({ path: { slug, command_id }, withResponse: true }), json, shown)
    }))
