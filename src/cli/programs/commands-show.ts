import type { CommandPublic } from "../../domain/Command.ts"
import { callForCommand, type CommandOptions } from "../Issue.ts"
import { formatFields } from "../Table.ts"
import { jsonMemberOf } from "../TerminalText.ts"

const formatCommandFields = (command: CommandPublic, text: string): string =>
  formatFields([
    ["command", command.id],
    ["action", command.action],
    ["target", command.target_id],
    ["status", command.status],
    ["agent", command.agent_id],
    ["issued", command.issued_at],
    ["dispatched", command.dispatched_at],
    ["ended", command.completed_at],
    ["payload", jsonMemberOf(text, "payload")],
    ["result", jsonMemberOf(text, "result")],
    ["error", command.error],
    ["note", command.note]
  ])

export const run = (options: CommandOptions) =>
  callForCommand(options, (api, path) => api.commands.get({ path, withResponse: true }), formatCommandFields)
