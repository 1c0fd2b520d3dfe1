// The rules of the house that a general linter cannot hold: who may import whom, and what only one place may do.
// CONTRIBUTING.md explains them. An exception is a line below, with its reason.
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../", import.meta.url))
const all = [
  "domain",
  "sqlite",
  "protocol",
  "services",
  "agent",
  "gateway",
  "http",
  "http definitions",
  "grpc",
  "migrations"
]

/** room -> rooms it may import, besides itself */
const rooms: Readonly<Record<string, ReadonlyArray<string>>> = {
  domain: [],
  sqlite: [], // the drivers of SQLite, for the brain and the agent
  services: ["domain", "sqlite", "migrations"],
  protocol: ["domain"], // the agents' wire, for both ends
  agent: ["domain", "sqlite", "protocol"], // beside an engine: the wire and what it needs, nothing of the brain
  gateway: ["domain", "protocol", "services"],
  http: ["domain", "services", "http definitions"],
  grpc: ["domain", "services"],
  "http definitions": ["domain"], // what a browser imports: the Api, and what it is made of
  migrations: [],
  scheduler: ["domain", "sqlite", "services", "grpc"], // the program svc-scheduler, beside the command line
  layers: all,
  cli: [...all, "scheduler", "layers"],
  entry: [...all, "layers"]
}

/**
 * The areas: the same folders in each of the rooms `domain`, `services`, `http` and `cli`, by floor, the lowest first
 * (CONTRIBUTING.md, Areas). An area imports those of lower floors, and no other.
 */
const floors = [
  ["kernel"],
  ["audit", "triggers"],
  ["agents", "approvalGate"],
  ["identity", "tasks"],
  ["alerting", "commands"],
  ["automation", "schedules"],
  ["approvals", "operations"]
]

const floorOf = new Map(floors.flatMap((areas, floor) => areas.map((area) => [area, floor] as const)))

/** Folders beside the areas, and files beside them: `src/http/Api.ts` names all groups, and `src/cli/Command.ts` all commands. */
const beside: Readonly<Record<string, ReadonlyArray<string>>> = {
  domain: [],
  services: [],
  http: ["Dashboard", "Docs", "Html", "middleware"],
  cli: ["demo", "io", "program", "remote", "scheduler"]
}

const hasPlace = (file: string): boolean => {
  const [, room, folder] = /^src\/(domain|services|http|cli)\/(?:(\w+)\/)?/.exec(file) ?? []
  if (room === undefined || floorOf.has(folder ?? "")) return true
  const others = beside[room] ?? []
  return folder === undefined ? others.length > 0 : others.includes(folder)
}

const floorAt = (area: string): number => floorOf.get(area) ?? 0

/** Undefined: a file of a room that has no areas, or beside them. */
const areaOf = (file: string): string | undefined => {
  const area = /^src\/(?:domain|services|http|cli)\/(\w+)\//.exec(file)?.[1]
  return area !== undefined && floorOf.has(area) ? area : undefined
}

const mayImportArea = (file: string, target: string): boolean => {
  const [area, there] = [areaOf(file), areaOf(target)]
  return area === undefined || there === undefined || area === there || floorAt(area) > floorAt(there)
}

const definitions =
  /^src\/http\/(.*\/)?(Api|Groups|AllIssues|ProblemSchema|Client|CustomMethods|ProjectPath|Docs\/Tags|Docs\/Parameters|Docs\/PlainRoutes)\.ts$/

const roomOf = (file: string): string => {
  if (definitions.test(file)) return "http definitions"
  if (file.startsWith("migrations/")) return "migrations"
  if (file.startsWith("proto/")) return "grpc"
  return /^src\/(\w+)\//.exec(file)?.[1] ?? "entry"
}

const allowedImports = new Map([
  [
    "src/http/Groups.ts src/services/kernel/CurrentActor.ts",
    "two tags that the definitions promise to their handlers; no server code"
  ]
])

/** What only the files of `except` may do, each for its reason. */
interface OnlyRule {
  readonly what: string
  readonly found: RegExp
  readonly instead: string
  readonly except: Readonly<Record<string, string>>
}

const only: ReadonlyArray<OnlyRule> = [
  {
    what: "process.env",
    found: /\bprocess\.env\b/,
    instead: "declare a setting in src/services/kernel/Settings/",
    except: {
      "src/cli/program/RunMain.ts": "the one place that hands the environment to the settings",
      "src/layers/NpmClient.ts": "npm reads its own configuration there, and must not get svc's secrets"
    }
  },
  {
    what: "the system clock or Math.random",
    found: /\bDate\.now\(|\bnew Date\(|\bMath\.random\(|\bperformance\.now\(/,
    instead: "use Effect's Clock (domain/kernel/Timestamp.ts) and node:crypto (services/kernel/Ids.ts)",
    except: {
      "src/cli/operations/SchedulerCertificates.ts": "the X.509 library takes dates; the caller gives the time"
    }
  },
  {
    what: "running an effect",
    found: /\bEffect\.run(Sync|Promise|Fork|Callback)|\bRuntime\.run(Sync|Promise|Fork|Callback)/,
    instead: "return the effect; only RunMain.ts runs",
    except: { "src/agent/runtime/startAgent.ts": "the agent's door for applications that do not use Effect" }
  },
  {
    what: "an UPDATE of a command's status",
    found: /\bUPDATE\s+commands\b(?:(?!\bWHERE\b|\bFROM\b)[^;])*?\bstatus\s*=/,
    instead: "use a method of src/services/commands/StatusRepo.ts, which is built on the transition table",
    except: { "src/services/commands/StatusRepo.ts": "the one writer of statuses" }
  }
]

const withoutComments = (source: string): string =>
  source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1")

const imported = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)"(\.[^"]+)"/g)].map(([, specifier]) => specifier ?? "")

/** Of these, what `import()` loads once it is needed. */
const loadedLater = (source: string): ReadonlySet<string> =>
  new Set([...source.matchAll(/\bimport\s*\(\s*"(\.[^"]+)"/g)].map(([, specifier]) => specifier ?? ""))

const isHandler = (file: string): boolean => /^src\/cli\/\w+\/handlers\//.test(file)

/**
 * The files of each circle of imports, in the order of the circle. Imports of types count: they too tie files together.
 * What is loaded later does not: a command loads its handler, which takes the types of its options from the command.
 */
const findCircles = (targets: ReadonlyMap<string, Iterable<string>>): ReadonlyArray<ReadonlyArray<string>> => {
  const circles: Array<ReadonlyArray<string>> = []
  const state = new Map<string, "open" | "done">()
  const path: Array<string> = []
  const visit = (file: string) => {
    state.set(file, "open")
    path.push(file)
    for (const target of targets.get(file) ?? []) {
      if (state.get(target) === "open") circles.push([...path.slice(path.indexOf(target)), target])
      else if (!state.has(target)) visit(target)
    }
    path.pop()
    state.set(file, "done")
  }
  for (const file of targets.keys()) if (!state.has(file)) visit(file)
  return circles
}

/** `services/identity/Users`, its file and its folder. A folder with a small letter groups capabilities. */
const capabilityOf = (file: string): string | undefined =>
  /^src\/(services\/\w+\/(?:[a-z]\w*\/)?[A-Z]\w*)/.exec(file)?.[1]

const problems: Array<string> = []
const targetsOf = new Map<string, ReadonlyArray<string>>()
const files = ["src", "migrations"].flatMap((folder) =>
  readdirSync(root + folder, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`)
).filter((file) => file.endsWith(".ts"))

for (const file of files) {
  const source = withoutComments(readFileSync(root + file, "utf8"))
  const room = roomOf(file)
  if (!hasPlace(file)) problems.push(`${file}: it stands in no area (CONTRIBUTING.md, Areas)`)
  if (/(?:\bfrom\s*|\bimport\s*\(?\s*)"svc(?:\/|")/.test(source)) {
    problems.push(`${file}: src imports its own files, not svc`)
  }
  const later = loadedLater(source)
  const now = imported(source).filter((specifier) => !later.has(specifier))
  targetsOf.set(file, now.map((specifier) => normalize(join(dirname(file), specifier))))
  for (const specifier of imported(source)) {
    const target = normalize(join(dirname(file), specifier))
    const there = roomOf(target)
    if (isHandler(target) && !isHandler(file) && !later.has(specifier)) {
      problems.push(`${file}: only import() may load ${target}, else each start loads it`)
    }
    if (!mayImportArea(file, target)) {
      problems.push(`${file}: the area ${areaOf(file)} may not import ${areaOf(target)} (${target})`)
    }
    if (!specifier.endsWith(".ts")) problems.push(`${file}: the import "${specifier}" does not end in .ts`)
    if (there === room || (rooms[room] ?? []).includes(there) || allowedImports.has(`${file} ${target}`)) continue
    problems.push(`${file}: ${room} may not import ${there} (${target})`)
  }
  for (const rule of only) {
    if (rule.found.test(source) && rule.except[file] === undefined) {
      problems.push(`${file}: ${rule.what}: ${rule.instead}`)
    }
  }
}

const spellings = new Map<string, string>()
for (const file of files) {
  const twin = spellings.get(file.toLowerCase())
  if (twin !== undefined) problems.push(`${file}: ${twin} is the same file on Windows and macOS`)
  spellings.set(file.toLowerCase(), file)
}

const webFiles = readdirSync(`${root}web/src`, { recursive: true, encoding: "utf8" }).filter((file) =>
  /\.tsx?$/.test(file)
)
for (const name of webFiles) {
  const file = `web/src/${name}`
  const specifiers = imported(withoutComments(readFileSync(root + file, "utf8")))
  targetsOf.set(file, specifiers.map((specifier) => normalize(join(dirname(file), specifier))))
  for (const specifier of specifiers) {
    if (normalize(join(dirname(file), specifier)).startsWith("web/")) continue
    problems.push(`${file}: the dashboard talks to the API only, and may not import ${specifier}`)
  }
}

for (const circle of findCircles(targetsOf)) problems.push(`a circle of imports: ${circle.join(" -> ")}`)

const capabilities = new Map<string, ReadonlySet<string>>()
for (const [file, targets] of targetsOf) {
  const capability = capabilityOf(file)
  if (capability === undefined) continue
  const others = targets.map(capabilityOf).flatMap((
    other
  ) => (other === undefined || other === capability ? [] : [other]))
  capabilities.set(capability, new Set([...(capabilities.get(capability) ?? []), ...others]))
}
for (const circle of findCircles(capabilities)) {
  problems.push(`capabilities that import each other: ${circle.join(" -> ")}`)
}

// of every tracked file: a conflict that was committed renders as text in docs/, where no compiler refuses it
const conflicts = spawnSync("git", ["grep", "-nIE", "^(<{7}|={7}|>{7})( |$)"], { cwd: root, encoding: "utf8" })
if (conflicts.status !== 0 && conflicts.status !== 1) throw new Error(`git grep failed: ${conflicts.stderr}`)
for (const line of conflicts.stdout.split("\n").filter((line) => line !== "")) {
  problems.push(`a marker of a merge conflict: ${line}`)
}

if (problems.length > 0) {
  console.error(problems.join("\n"))
  process.exit(1)
}
console.log(`rooms: ${files.length + webFiles.length} files keep the rules`)
