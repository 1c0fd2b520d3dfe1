import { assert, describe, it } from "@effect/vitest"
import { Schema, SchemaAST } from "effect"
import { discord } from "../../src/services/alerting/Channels/Types/Discord.ts"
import { email } from "../../src/services/alerting/Channels/Types/Email.ts"
import { pagerduty } from "../../src/services/alerting/Channels/Types/PagerDuty.ts"
import { slack } from "../../src/services/alerting/Channels/Types/Slack.ts"
import { teams } from "../../src/services/alerting/Channels/Types/Teams.ts"
import { telegram } from "../../src/services/alerting/Channels/Types/Telegram.ts"
import { webhook } from "../../src/services/alerting/Channels/Types/Webhook.ts"
import { channelTypes } from "../../web/src/notifications/channels/channelTypes.ts"

/** The older name of `severity_default`. */
const olderNames = ["severity"]

const fieldsOf = (
  { internal, schema }: { readonly schema: Schema.Schema.AnyNoContext; readonly internal: ReadonlyArray<string> }
) =>
  SchemaAST.getPropertySignatures(Schema.encodedSchema(schema).ast)
    .map(({ isOptional, name }) => ({ name: String(name), isRequired: !isOptional }))
    .filter(({ name }) => !internal.includes(name) && !olderNames.includes(name))

const byName = (one: { readonly name: string }, other: { readonly name: string }) => (one.name < other.name ? -1 : 1)

describe("the forms of channels", () => {
  const types = { discord, email, pagerduty, slack, teams, telegram, webhook }

  it.each(Object.keys(types) as Array<keyof typeof types>)("%s: has the fields of the config", (name) => {
    const shown = channelTypes[name].map(({ isRequired, name }) => ({ name: name as string, isRequired }))
    assert.deepStrictEqual(shown.sort(byName), fieldsOf(types[name]).sort(byName))
  })

  it("are of every type", () => {
    assert.deepStrictEqual(Object.keys(channelTypes).sort(), Object.keys(types).sort())
  })
})
