import { callForCommand, type CommandOptions, formatCommand } from "../Issue.ts"

export const run = (options: CommandOptions) =>
  callForCommand(options, (api, path) => api.commands.cancel({ path, withResponse: true }), formatCommand)
