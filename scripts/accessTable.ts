import {
  type AccessRule,
  type Bucket,
  isUserBucket,
  rateBuckets,
  Role,
  windowSeconds
} from "../src/domain/kernel/Access.ts"
import { accessRules, adminScopes, roleScopes, scopes } from "../src/http/AccessRules.ts"

const callers: Readonly<Record<AccessRule["caller"], string>> = {
  public: "public",
  agent: "agent token",
  session: "session",
  authenticated: "session or API key",
  viewer: "viewer",
  auditor: "auditor",
  operator: "operator",
  admin: "admin",
  global_admin: "global admin"
}

const shownPath = (path: string): string =>
  path.replaceAll("::", "\0").replaceAll(/:([a-z_]+)/g, "{$1}").replaceAll("\0", ":").replace(/^\/api\/v1/, "")

const row = (route: string, rule: AccessRule): string => {
  const [method = "", path = ""] = route.split(" ")
  const notes = [
    rule.requiresHttps === true ? "HTTPS" : "",
    rule.allowsSession === true ? "optional session, with CSRF" : "",
    rule.mutates === true && rule.caller !== "public" && rule.caller !== "agent" ? "CSRF" : "",
    rule.creates === undefined ? "" : rule.creates === "secret" ? "idempotent, secret" : "idempotent",
    rule.stepUp === true ? "step-up" : "",
    rule.unboundKey === true ? "unbound key" : "",
    rule.allowsPendingFactor === true ? "pending factor" : "",
    rule.allowsRestrictedSession === true ? "while restricted" : "",
    rule.bucket === undefined ? "" : `bucket ${rule.bucket}`,
    rule.heavy === undefined ? "" : rule.heavy === "always" ? "heavy" : "heavy with a search or format",
    rule.destructive === true ? "audited" : "",
    rule.bodyLimit === undefined ? "" : `body ${rule.bodyLimit} B`
  ].filter((note) => note !== "")
  const shown = path.startsWith("/api/v1/") ? shownPath(path) : `${shownPath(path)} (root)`
  return `| ${method} | \`${shown}\` | ${callers[rule.caller]} | ${rule.scope ?? ""} | ${notes.join(", ")} |`
}

const roles = Role.literals

// the record's own keys, which Object.keys widens to string
const bucketNames = Object.keys(rateBuckets) as ReadonlyArray<Bucket>

const bucketRow = (bucket: Bucket): string =>
  `| ${bucket} | ${isUserBucket(bucket) ? "user" : "address"} | ${rateBuckets[bucket]} in ${windowSeconds(bucket)} s${
    bucket === "mfa" ? ", or `SVC_MFA_VERIFICATION_RATE_PER_MIN`" : ""
  } |`

/** `docs/access.md`, from the declarations of the endpoints. */
export const accessTable = (): string =>
  `# Access: who may call what

For people who write clients, hand out roles and API keys, or review permissions. \`npm run docs\` makes this page from the
declarations of the endpoints; a test compares the two. Paths are under \`/api/v1\` unless marked (root).

| caller | who that is |
|---|---|
| public | every client, without a credential |
| agent token | an agent process |
| session | a signed-in browser; an API key is refused |
| session or API key | every signed-in user |
| viewer | every member of the project of the path |
| auditor | a member with the role auditor, who sees what a viewer sees and the audit log, or admin |
| operator | a member with the role operator or admin |
| admin | an admin of the project |
| global admin | an admin in every project and of the brain |

| refused | status |
|---|---|
| without a valid credential | 401 |
| a non-member of the project, or an unknown project | 404 |
| a member whose role is too low | 403 \`forbidden\` |
| an API key without the scope | 403 \`scope_missing\` |

**Scope**: what an API key must hold in addition (\`admin:*\` holds all). A key never does more than its owner may. A key
that is bound to a project sees no other project; paths outside of projects stay open to it.

| note | meaning |
|---|---|
| HTTPS | over plain http: 403 \`https_required\`, and no session cookie is accepted, unless the address is the machine's own (\`localhost\`) or SVC_ENVIRONMENT is development |
| optional session | no credential is required; a signed-in caller acts as themselves |
| CSRF | with a session cookie the request needs the header \`X-CSRF-Token\` with the value of the CSRF cookie |
| idempotent | \`Idempotency-Key\` is honoured for 24 hours |
| secret | with that key a repetition is 409 \`idempotency_conflict\`, because the first response had a secret that is shown once |
| step-up | a browser must have signed in, or given a code or password again, within \`SVC_MFA_STEP_UP_WINDOW_SECONDS\`; API keys and restricted sessions are exempt ([mfa.md](mfa.md#step-up)) |
| unbound key | an API key that is bound to a project is 403 \`scope_missing\`, whatever its scopes, because this concerns the whole brain |
| pending factor | open to a session whose second factor is pending; all else is 401 \`mfa_required\` |
| while restricted | open to a session whose user should have enrolled a second factor by now; all else is 403 \`mfa_enrollment_required\` ([mfa.md](mfa.md#enforcement)) |
| heavy | few such reads of a user are in flight at once, as with any page over 100 rows ([api.md](api.md#many-and-large-reads)) |
| bucket | requests are limited per address or user, see [rate buckets](#rate-buckets) |
| audited | a signed-in caller who lacks the role or scope leaves a row \`access.denied\` in the audit log |
| body | largest body, if not \`SVC_MAX_PAYLOAD_SIZE_BYTES\` |

## Endpoints

| method | path | caller | scope | notes |
|---|---|---|---|---|
${[...accessRules].map(([route, rule]) => row(route, rule)).join("\n")}

## Scopes

${scopes.map((scope) => `\`${scope}\``).join(", ")}

An API key grants no more than it holds; otherwise 403 \`scope_missing\`:

- Creating, changing or deleting a global admin, and setting a global admin's password, needs \`admin:*\`. For all other
  users \`users:write\` is sufficient. Neither is possible with a key that is bound to a project.
- Granting a role, by a membership or an invitation, needs every scope of that role. So does setting the password of a
  member, for each of the member's projects.

| role | scopes that a key needs to grant it |
|---|---|
${roles.map((role) => `| ${role} | ${roleScopes[role].map((scope) => `\`${scope}\``).join(", ")} |`).join("\n")}

Three scopes reach far:

| scope | what its holder can do |
|---|---|
| \`agents:write\` | create agents, which receive commands and report tasks in the project |
| \`commands:write\` | run tasks with arguments of the caller's choice |
| \`projects:write\` | delete the project with all its tasks |

Only global admins can put these into a key: ${adminScopes.map((scope) => `\`${scope}\``).join(", ")}

## Rate buckets

Requests of one address, or one user, in a sliding window, counted per process. Beyond the limit: 429 \`rate_limited\`; a
refused request does not count. Behind a proxy of \`SVC_TRUSTED_PROXIES\` the address is the client's. An IPv6 address
counts with its /64.

| bucket | per | requests |
|---|---|---|
${bucketNames.map(bucketRow).join("\n")}

- \`denial\` limits the rows \`access.denied\` that one user can write, and \`refused_key\` the log lines about API keys and logout tokens that
  are not valid. They limit no requests.
- Setup attempts are also counted in the database: \`SVC_FIRST_BOOT_ATTEMPTS_PER_IP\` of one address in 15 minutes, and
  eight times as many of all addresses.
- Wrong passwords are counted per account, see \`SVC_LOGIN_LOCKOUT_THRESHOLD\`.
`
