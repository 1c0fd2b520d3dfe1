import type { CommandPublic } from "../../domain/Command.ts"
import { aboutCommand, type CommandOptions } from "../Issue.ts"
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
    ["error", command.error],
    ["note", command.note]
  ])

export const run = (options: CommandOptions) =>
  aboutCommand(options, (api, path) => api.commands.get({ path, withResponse: true }), shown)
