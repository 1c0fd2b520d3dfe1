import { clientDeclared } from "../src/cli/program/ClientSettings.ts"
import { schedulerProgramDeclared } from "../src/scheduler/Settings.ts"
import { settingDefinitions } from "../src/services/kernel/Settings.ts"
import type { Setting } from "../src/services/kernel/Settings/Kinds.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|")

const row = (setting: Setting<unknown>): string => {
  const fallback = setting.print(setting.default)
  const shown = fallback === "" ? "" : `\`${fallback}\``
  return `| \`${setting.name}\` | ${cell(setting.type)} | ${shown} | ${setting.tunable ? "yes" : ""} | ${
    cell(setting.line)
  } |`
}

/** The record's values differ in A only, which a row does not show. */
const settings = Object.values(settingDefinitions) as ReadonlyArray<Setting<unknown>>

const clientSettings = Object.values(clientDeclared) as ReadonlyArray<Setting<unknown>>

const schedulerSettings = Object.values(schedulerProgramDeclared) as ReadonlyArray<Setting<unknown>>

/** docs/settings.md, from the declarations. */
export const settingsPage = (): string =>
  `# Settings

For people who configure a brain, an agent or the command line: every setting with its default. \`npm run docs\` makes this
page from \`src/services/kernel/Settings/\`, \`src/cli/program/ClientSettings.ts\` and \`src/scheduler/Settings.ts\`; a test compares them.

\`\`\`sh
SVC_PORT=8080 SVC_DATABASE_URL_FILE=/run/secrets/database svc serve
svc config show        # each value, and where it comes from
svc config validate    # checks the tunables file
\`\`\`

The first source that has a value counts:

| source | form |
|---|---|
| command line | \`svc serve --host --port --workers\` |
| environment | \`NAME=value\`; a secret also as \`NAME_FILE\`, the path of a file that holds it |
| tunables file | \`svc.conf\` in \`SVC_HOME\`, lines of \`NAME=value\`, only for settings marked *tunable*; \`svc init\` writes a starter |
| default | |

A value out of its range stops the program, which then names the setting and the range.

## The brain and agents

| name | type | default | tunable | what it is |
|---|---|---|---|---|
${settings.map(row).join("\n")}

## Client commands

\`svc login\`, \`agents\`, \`tasks\`, \`commands\` and the other clients of a running brain ([cli.md](cli.md)) read these from
the environment. They never read the brain's own settings or its tunables file. \`svc login\` stores its file in
\`SVC_HOME\`.

| name | type | default | tunable | what it is |
|---|---|---|---|---|
${clientSettings.map(row).join("\n")}

## svc-scheduler

The program \`svc-scheduler\` ([scheduler.md](scheduler.md)) reads these from the environment, and never the brain's own
settings or its tunables file. Its \`schedules\`, \`import\` and \`export\` are client commands, and read those above.

| name | type | default | tunable | what it is |
|---|---|---|---|---|
${schedulerSettings.map((setting) => row({ ...setting, tunable: false })).join("\n")}
`
