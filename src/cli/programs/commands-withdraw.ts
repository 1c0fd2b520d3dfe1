import { aboutCommand, type CommandOptions, shown } from "../Issue.ts"

export const run = (options: CommandOptions) =>
  aboutCommand(options, (api, path) => api.commands.cancel({ path, withResponse: true }), shown)
