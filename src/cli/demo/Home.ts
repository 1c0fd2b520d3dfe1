import { FileSystem } from "@effect/platform"
import { Effect, Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { system } from "../../domain/kernel/Actor.ts"
import { AgentId, ProjectId } from "../../domain/kernel/Id.ts"
import { resolveHome } from "../../layers/Settings.ts"
import { Agents } from "../../services/agents/Agents.ts"
import { ApiKeys } from "../../services/identity/ApiKeys.ts"
import { Projects } from "../../services/identity/Projects.ts"
import { Setup } from "../../services/identity/Setup.ts"
import { CurrentActor, CurrentProject } from "../../services/kernel/CurrentActor.ts"
import { Environment } from "../program/Environment.ts"
import { CliError } from "../program/Explain.ts"
import { createSchedules } from "./Schedules.ts"
import { createShowcase } from "./Showcase.ts"

/** This file marks the demo's folder and holds the credentials for the next start. */
const MARKER_FILE = "demo.json"
export const email = "demo@example.com"

const Marker = Schema.parseJson(Schema.Struct({
  password: Schema.String,
  /** Null until the first start has created them. */
  made: Schema.NullOr(Schema.Struct({
    api_key: Schema.String,
    agent_id: AgentId,
    agent_token: Schema.String,
    agent_hmac_secret: Schema.String,
    project_id: ProjectId,
    /** The API key of the colleague, who asks for approvals; null in a plain shop. */
    colleague_key: Schema.NullOr(Schema.String)
  }))
}))
export type DemoCredentials = NonNullable<typeof Marker.Type["made"]>

export interface DemoHome {
  readonly home: string
  readonly password: string
  readonly credentials: DemoCredentials | null
}

/**
 * The folder of the demo: SVC_HOME with `-demo` at its end, by default `~/.svc-demo`. Creates it if missing. Fails when it
 * holds other files, or when SVC_DATABASE_URL is set.
 */
export const openHome = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const environment = yield* Environment
  if (environment.SVC_DATABASE_URL || environment.SVC_DATABASE_URL_FILE) {
    return yield* new CliError({
      message: "SVC_DATABASE_URL is set, but the demo writes only to its own database. Unset it for the demo"
    })
  }
  const home = `${resolveHome(environment)}-demo`
  const mark = join(home, MARKER_FILE)
  if (yield* fs.exists(mark)) {
    const { made, password } = yield* Effect.flatMap(fs.readFileString(mark), Schema.decode(Marker)).pipe(
      Effect.mapError(() => new CliError({ message: `${mark} cannot be read. Delete ${home} to start the demo over` }))
    )
    return { home, password, credentials: made } satisfies DemoHome
  }
  if ((yield* fs.exists(home)) && (yield* fs.readDirectory(home)).length > 0) {
    return yield* new CliError({
      message:
        `${home} contains files that are not a demo's, and stays unchanged. Move it, or set another SVC_HOME for the demo`
    })
  }
  yield* fs.makeDirectory(home, { recursive: true, mode: 0o700 })
  const site: DemoHome = { home, password: randomBytes(9).toString("base64url"), credentials: null }
  yield* writeMarker(site)
  return site
})

const writeMarker = ({ credentials, home, password }: DemoHome) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const text = yield* Effect.orDie(Schema.encode(Marker)({ password, made: credentials })) // this program has just created it
    yield* fs.writeFileString(join(home, MARKER_FILE), text, { mode: 0o600 })
  })

/**
 * Creates the admin, the project, the agent and an API key on the first start, and with the address of a receiver what
 * the demo shows beside its tasks.
 */
export const createRecords = Effect.fnUntraced(function*(site: DemoHome, receiverUrl: string | null) {
  if (site.credentials !== null) return site.credentials
  const setup = yield* Setup
  const agents = yield* Agents
  const keys = yield* ApiKeys
  const { user } = yield* setup.bootstrapAdmin({ email, displayName: "Demo", password: Redacted.make(site.password) })
    .pipe(
      Effect.mapError(() =>
        new CliError({
          message: `An earlier start of the demo was interrupted. Delete ${site.home} to start the demo over`
        })
      )
    )
  const asSystem = Effect.provideService(CurrentActor, system("svc serve --demo"))
  const project = yield* Effect.flatMap(Projects, (projects) => projects.create(shopProject)).pipe(asSystem)
  const agent = yield* agents.create({ name: "shop" }).pipe(asSystem, Effect.provideService(CurrentProject, project))
  yield* createSchedules(agent.agent.id).pipe(asSystem, Effect.provideService(CurrentProject, project))
  const limits = { project_id: null, expires_in_days: null, allowed_cidrs: null }
  const key = yield* asSystem(keys.createFor(user, { name: "demo", scopes: ["admin:*"], ...limits }))
  const colleagueKey = receiverUrl === null
    ? null
    : yield* createShowcase(user, site.password, receiverUrl).pipe(
      asSystem,
      Effect.provideService(CurrentProject, project)
    )
  const credentials: DemoCredentials = {
    api_key: key.token,
    agent_id: agent.agent.id,
    agent_token: agent.token,
    agent_hmac_secret: agent.hmac_secret,
    project_id: project.id,
    colleague_key: colleagueKey
  }
  yield* writeMarker({ ...site, credentials })
  return credentials
})

export const shopProject = {
  slug: "shop",
  name: "Shop",
  description: "A small shop that does not exist",
  environment: "demo",
  timezone: "UTC",
  default_scheduler_owner: "svc-scheduler",
  allowed_schedulers: null
}

/** Writes the shell variables that select the demo: `. ~/.svc-demo/env`. */
export const writeEnv = Effect.fnUntraced(function*(site: DemoHome, credentials: DemoCredentials, url: string) {
  const fs = yield* FileSystem.FileSystem
  const file = join(site.home, "env")
  yield* fs.writeFileString(
    file,
    `export SVC_URL=${url} SVC_API_KEY=${credentials.api_key} SVC_PROJECT=${shopProject.slug} SVC_DEMO_AGENT=${credentials.agent_id}\n`,
    {
      mode: 0o600
    }
  )
  return file
})
