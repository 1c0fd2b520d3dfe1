import { Effect, type Option } from "effect"
import type { CommandPublic } from "../../domain/Command.ts"
import { commandIdOf } from "../Issue.ts"
import { print, remotely } from "../Remote.ts"
import { fields } from "../Table.ts"
import { memberText } from "../Visible.ts"

const shown = (command: CommandPublic, text: string): string =>
  fields([
    ["command", command.id],
    ["action", command.action],
    ["target", command.target_id],
    ["status", command.status],
    ["agent", command.agent_id],
    ["issued", command.issued_at],
    ["dispatched", command.dispatched_at],
    ["ended", command.completed_at],
    ["payload", memberText(text, "payload")],
    ["result", memberText(text, "result")],
    ["error", command.error]
  ])

export const run = ({ commandId, json, project }: {
  readonly commandId: string
  readonly project: Option.Option<string>
  readonly json: boolean
}) =>
  remotely(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const command_id = yield* commandIdOf(commandId)
      yield* print(yield* api.commands.get({ path: { slug, command_id }, withResponse: true }), json, shown)
    }))
