import { Console, Effect, Option } from "effect"
import { type ApiKey, CreateApiKey, type ScopePreset } from "../../../domain/identity/ApiKey.ts"
import { presetScopes } from "../../../http/AccessRules.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { findOne } from "../../io/Find.ts"
import { type Column, formatAge, idColumn, type View } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf, OptionsOf } from "../../program/Group.ts"
import { call, list } from "../../remote/Handlers.ts"
import { type Remote, resolveUrl, withRemote } from "../../remote/Remote.ts"
import type { definitions, presetNames } from "../api-keys.ts"
import { codeStdinMisused, createApiKey } from "../SignIn.ts"

const stateOf = ({ expires_at, revoked_at }: ApiKey, { nowMillis }: View): string => {
  if (revoked_at !== null) return "revoked"
  return expires_at !== null && Date.parse(expires_at) <= nowMillis ? "expired" : "active"
}

const columns: ReadonlyArray<Column<ApiKey>> = [
  { head: "NAME", cell: ({ name }) => name, maxLength: 40, minLength: 12 },
  { head: "STATE", cell: stateOf },
  { head: "PROJECT", cell: ({ project_slug }) => project_slug, minLength: 8, dropRank: 2, hidesEmpty: true },
  { head: "SCOPES", cell: ({ scopes }) => scopes.join(","), maxLength: 60, minLength: 10, dropRank: 3 },
  { head: "USED", cell: ({ last_used_at }, view) => formatAge(last_used_at, view) },
  { head: "EXPIRES", cell: ({ expires_at }) => expires_at?.slice(0, 10) ?? null, dropRank: 1 },
  idColumn("ID", ({ id }) => id)
]

const scopesMissing = new CliError({
  usage: true,
  message:
    "a key without a scope can do nothing: give --scope once for each scope, such as --scope tasks:read, or --preset, such as --preset read-only (GET /api/v1/api-keys/scopes lists them)"
})

const presetOf: Readonly<Record<(typeof presetNames)[number], ScopePreset>> = {
  "ci-deploys": "ci_deploys",
  "read-only": "read_only",
  operator: "operator",
  "agent-provisioning": "agent_provisioning",
  metrics: "metrics"
}

const scopesOfPreset = (name: (typeof presetNames)[number]): ReadonlyArray<string> => presetScopes[presetOf[name]]

/** The owner of the API key in use. Without a key, --email is required. */
const currentEmail = withRemote(Option.none(), ({ api }) => Effect.map(api.auth.me({}), ({ email }) => email))

const create = (
  { preset, ...options }: OptionsOf<typeof definitions.create>
) =>
  Effect.gen(function*() {
    const { codeStdin, email, expiresInDays, json, name, passwordStdin, project } = options
    const scopes = [...Option.match(preset, { onNone: () => [], onSome: scopesOfPreset }), ...options.scopes]
    if (scopes.length === 0) return yield* scopesMissing
    if (codeStdin && !passwordStdin) return yield* codeStdinMisused
    const key = yield* decodeInput(CreateApiKey, { name, scopes, expires_in_days: expiresInDays })
    const bind = ({ project: projects }: Remote["api"]) =>
      Option.isNone(project)
        ? Effect.succeed(key)
        : Effect.map(projects.get({ path: { slug: project.value } }), ({ id }) => ({ ...key, project_id: id }))
    const signIn = {
      url: yield* resolveUrl,
      email: Option.isSome(email) ? email.value : yield* currentEmail,
      codeStdin,
      passwordStdin
    }
    yield* createApiKey(signIn, bind, (created) =>
      Console.log(
        json
          ? JSON.stringify(created)
          : `created the API key "${escapeText(created.name)}" (${created.id})${
            created.expires_at === null ? "" : `, valid until ${created.expires_at}`
          }. ` +
            `It is printed only this once:\n${created.token}`
      ))
  })

/** The key of this id or part of one, or the only valid one of this name. */
const getKey = (keys: ReadonlyArray<ApiKey>, given: string): Effect.Effect<ApiKey, CliError> =>
  findOne(keys, {
    what: "API key",
    given,
    nameOf: ({ name, revoked_at }) => (revoked_at === null ? name : null),
    listedBy: "svc api-keys list"
  })

export const handlers: HandlersOf<typeof definitions> = {
  list: list(columns, ({ api }) => api.api_keys.list({ withResponse: true })),
  create,
  revoke: call(function*({ api }, { key, yes }) {
    const { id, name } = yield* getKey(yield* api.api_keys.list({}), key)
    yield* confirm(
      yes,
      `Revokes the API key ${escapeText(name)} (${id}) permanently: programs that use it are refused from then on.`
    )
    yield* api.api_keys.revoke({ path: { key_id: id } })
    yield* Console.log(`revoked the API key ${escapeText(name)} (${id})`)
  })
}
