import { clientDeclared } from "../src/cli/ClientSettings.ts"
import { settingDefinitions } from "../src/services/Settings.ts"
import type { Setting } from "../src/services/Settings/Kinds.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|")

const row = (setting: Setting<unknown>): string => {
  const fallback = setting.print(setting.fallback)
  const shown = fallback === "" ? "" : `\`${fallback}\``
  return `| \`${setting.name}\` | ${cell(setting.type)} | ${shown} | ${setting.tunable ? "yes" : ""} | ${cell(setting.line)} |`
}

/** The record's values differ in A only, which a row does not show. */
const settings = Object.values(settingDefinitions) as ReadonlyArray<Setting<unknown>>

const clientSettings = Object.values(clientDeclared) as ReadonlyArray<Setting<unknown>>

/** docs/settings.md, from the declarations. */
export const settingsPage = (): string => `# Settings

Every setting of the brain. Made from \`src/services/Settings.ts\` and \`src/cli/ClientSettings.ts\` by
\`npm run docs\`; a test holds them equal.

A value comes from the environment, else from the tunables file \`svc.conf\` in \`SVC_HOME\` (lines of \`NAME=value\`;
\`svc init\` writes a starter, and only the settings marked *tunable* may stand in it), else it is the default. A secret
may also be given as \`NAME_FILE\`, the path of a file that holds it. \`svc serve --host --port --workers\` come before
all of these. A value out of its range stops the program, which then names the setting and the range.
\`svc config show\` prints what is in force and where it came from, \`svc config validate\` checks the file.

| name | type | default | tunable | what it is |
|---|---|---|---|---|
${settings.map(row).join("\n")}

## Of the commands that speak to a brain

\`svc login\`, \`agents\`, \`tasks\` and \`commands\` are clients of a running brain ([cli.md](cli.md)). They read these
from the environment, and never the brain's own settings or its tunables file; \`SVC_HOME\` is where \`svc login\` keeps
its file.

| name | type | default | tunable | what it is |
|---|---|---|---|---|
${clientSettings.map(row).join("\n")}
`
